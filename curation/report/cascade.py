"""One sentence on what a cascade did and what it cost, for terminal and report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curation.report.numbers import exact


def cascade_sentence(funnel: Mapping[str, Any]) -> str | None:
    """None where the run had no cascade."""
    found = funnel.get("cascade")
    if found is None:
        return None
    given_up = f"Cascade: {exact(found['given_up'])} pages given up before extraction"
    if found["loss"] is None:
        return f"{given_up}; none was audited, so the loss is unknown (raise cascade.audit)."
    return (
        f"{given_up}; {exact(found['audited'])} more were extracted all the same, and "
        f"{exact(found['audited_kept'])} of them survived. Estimated loss {100 * found['loss']:.2f} % of the "
        f"survivors, at most {100 * found['loss_at_most']:.2f} % (95 % confidence)."
    )

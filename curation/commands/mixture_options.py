"""What the commands of `curate mix` and `curate plan` share: which mixture, over how many tokens of each source."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from curation.errors import InputError
from curation.mixture import MixtureSettings
from curation.recipe.mixtures import load_mixture, mixture_names
from curation.report.numbers import short
from curation.report.tables import compact_table
from curation.run.folder import RunFolder, read_json

MixtureName = Annotated[
    str,
    typer.Argument(
        metavar="MIXTURE", help=f"A YAML file (a recipe's will do), or one of {', '.join(mixture_names())}."
    ),
]
Tokens = Annotated[
    list[str], typer.Option("--tokens", metavar="SOURCE=COUNT", help="Tokens that exist, such as web=2.5e9; again.")
]
Run = Annotated[Path | None, typer.Option(help="A finished run: tokens are those of its training shards.")]
Budget = Annotated[float | None, typer.Option(help="Tokens to train on, in place of the mixture's.", min=1)]


def mixture_and_tokens(
    name: str, tokens: Sequence[str], run: Path | None, budget: float | None
) -> tuple[MixtureSettings, dict[str, int]]:
    """The settings, and tokens by source: from the options, else the run, else as published with the mixture."""
    found = load_mixture(name, {"budget_tokens": round(budget)} if budget else None)
    if tokens:
        return found.settings, dict(_count(one) for one in tokens)
    if run is not None:
        return found.settings, tokens_of_run(run)
    if found.tokens is None:
        raise InputError(f"{name} does not say how many tokens its sources have: give --run, or --tokens SOURCE=COUNT")
    return found.settings, dict(found.tokens)


def tokens_of_run(run: Path) -> dict[str, int]:
    """Training tokens by source of a run's shards."""
    summary = RunFolder(run.absolute()).tokens / "summary.json"
    if not summary.is_file():
        raise InputError(f"{run} has no token shards (no tokens/summary.json); its recipe needs a tokens section")
    return {source: splits["train"] for source, splits in read_json(summary)["tokens"].items()}


def _count(text: str) -> tuple[str, int]:
    name, equals, count = text.rpartition("=")
    try:
        tokens = float(count)
    except ValueError:
        tokens = -1
    if not equals or not name or not 0 <= tokens < 1e18:
        raise InputError(f"--tokens {text}: write it as SOURCE=COUNT, such as web=2.5e9")
    return name, round(tokens)


def mixture_table(found: dict[str, Any], title: str) -> Table:
    """A solved mixture, or one phase of it, source by source, largest first."""
    table = compact_table(title)
    table.add_column("source")
    valued = any("effective_tokens" in one for one in found["sources"].values())  # phases are not valued apart
    for name in ("available", "share asked", "share", "tokens", "epochs", *(["worth"] if valued else [])):
        table.add_column(name, justify="right", no_wrap=True)
    for name, one in sorted(found["sources"].items(), key=lambda item: (-item[1]["share"], item[0])):
        worth = f"{one['effective_tokens'] / one['tokens']:.1%}" if valued and one["tokens"] else ""
        table.add_row(
            name + (" (synthetic)" if one.get("synthetic") else ""),
            short(one["tokens_available"]),
            f"{one['share_asked']:.2%}",
            f"{one['share']:.2%}",
            short(one["tokens"]),
            f"{one['epochs']:.2f}",
            *([worth] if valued else []),
        )
    return table

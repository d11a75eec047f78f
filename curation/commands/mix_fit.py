"""`curate mix fit`: the best mixture by the losses of small models, and how sure it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from curation.commands.app import command, console, mix
from curation.commands.mixture_options import Budget, Run, Tokens, mixture_and_tokens
from curation.errors import InputError
from curation.mixture.fit import Best, fit_best
from curation.mixture.measured import read_measured
from curation.mixture.solve import shares_and_caps
from curation.report.tables import compact_table


@command("fit", mix)
def mix_fit(
    measured: Annotated[Path, typer.Argument(help="CSV or JSON lines: shares and losses, a row a trained model.")],
    loss: Annotated[
        list[str],
        typer.Option(metavar="COLUMN[=WEIGHT]", help="A loss; again for more, their weighted mean is fitted."),
    ],
    mixture: Annotated[str | None, typer.Option(help="A mixture whose caps and budget bound the best one.")] = None,
    tokens: Tokens = [],  # noqa: B006
    run: Run = None,
    budget: Budget = None,
    reference: Annotated[int, typer.Option(help="Row that the best mixture is compared with, from 0.", min=0)] = 0,
    seed: Annotated[int, typer.Option(help="Of the folds and repetitions.", min=0)] = 0,
    out: Annotated[Path | None, typer.Option(help="YAML to write: the sources section of a mixture.")] = None,
) -> None:
    """Fit losses as a function of shares and predict the best mixture; exit code 1 where the data cannot tell."""
    table = read_measured(measured, dict(_weighted(one) for one in loss))
    caps = None
    if mixture is not None:
        settings, available = mixture_and_tokens(mixture, tokens, run, budget)
        caps = shares_and_caps(available, settings)[1]
    best = fit_best(table, caps, reference=reference, seed=seed)
    _show(best, len(table.shares), reference)
    if not best.tells:
        raise typer.Exit(1)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(_yaml(best, measured.name, loss), encoding="utf-8")
        console.print(f"wrote {out}: curate mix solve {out} --tokens ...", highlight=False, soft_wrap=True)


def _weighted(text: str) -> tuple[str, float]:
    name, equals, weight = text.rpartition("=")
    if not equals:
        return text, 1.0
    try:
        number = float(weight)
    except ValueError:
        number = -1.0
    if not 0 < number < 1e9:
        raise InputError(f"--loss {text}: write it as COLUMN or COLUMN=WEIGHT, the weight a number above 0")
    return name, number


def _show(best: Best, rows: int, reference: int) -> None:
    laws = compact_table(f"{rows} mixtures: how each law predicts those it has not seen")
    for name in ("law", "error (rmse)", "R2", "rank correlation"):
        laws.add_column(name, justify="left" if name == "law" else "right")
    for one in best.judged:
        laws.add_row(one.law, f"{one.rmse:.4f}", f"{one.r2:.3f}", f"{one.rank_correlation:.3f}")
    console.print(laws)
    shares = compact_table(f"best by the {best.law} law")
    for name in ("source", "best share", "90 % of refits", f"row {reference}"):
        shares.add_column(name, justify="left" if name == "source" else "right")
    for name, share in sorted(best.shares.items(), key=lambda item: (-item[1], item[0])):
        low, high = best.intervals[name]
        shares.add_row(name, f"{share:.1%}", f"{low:.1%} to {high:.1%}", f"{best.reference[name]:.1%}")
    low, high = best.gain_interval
    shares.add_section()
    shares.add_row("predicted loss", f"{best.loss:.4f}", f"gain {low:.4f} to {high:.4f}", f"{best.reference_loss:.4f}")
    console.print(shares)
    console.print(best.why, style="green" if best.tells else "yellow", highlight=False, soft_wrap=True)
    if best.loss >= best.best_measured_loss:
        console.print(
            f"Row {best.best_measured} was measured at {best.best_measured_loss:.4f}, not above the prediction: "
            "take it, or measure near it.",
            highlight=False,
            soft_wrap=True,
        )
    if best.edges:
        console.print(
            f"At the largest share that was measured: {', '.join(best.edges)}. The optimum may lie beyond.",
            highlight=False,
            soft_wrap=True,
        )
    console.print(
        f"The nearest measured mixture differs in {best.nearest_measured:.0%} of its tokens.", highlight=False
    )


def _yaml(best: Best, file: str, losses: list[str]) -> str:
    low, high = best.gain_interval
    lines = [
        f"# By the {best.law} law on {file}, {', '.join(losses)}; predicted gain {low:.4g} to {high:.4g}.",
        "sources:",
    ]
    for name, share in best.shares.items():
        if share >= 5e-5:
            spread = best.intervals[name]
            lines.append(f"  {name}: {share:.4f}  # {spread[0]:.4f} to {spread[1]:.4f}")
    return "\n".join(lines) + "\n"

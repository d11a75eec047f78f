"""`curate plan`: what a training run costs in steps, compute, days and memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from curation.commands.app import command, console
from curation.errors import InputError, RecipeError
from curation.plan.lines import plan_lines
from curation.plan.preset import H100, PRESETS, Training, preset
from curation.plan.steps import Ramp


@command("plan")
def plan(
    preset_name: Annotated[str | None, typer.Option("--preset", help=f"A published run: {', '.join(PRESETS)}.")] = None,
    parameters: Annotated[float | None, typer.Option(help="Parameters of the model, such as 7e9.", min=1)] = None,
    tokens: Annotated[float | None, typer.Option(help="Tokens to train on; default: those of --run.", min=1)] = None,
    run: Annotated[Path | None, typer.Option(help="A run folder whose mixture gives the tokens and epochs.")] = None,
    batch: Annotated[list[int], typer.Option(help="Batch in tokens; again for each size of a ramp.", min=1)] = [],  # noqa: B006
    switch: Annotated[list[float], typer.Option(help="Tokens after which the next batch size begins.")] = [],  # noqa: B006
    devices: Annotated[int | None, typer.Option(help="Accelerators.", min=1)] = None,
    mfu: Annotated[float | None, typer.Option(help="Share of the peak that is sustained.", min=0.01, max=1)] = None,
    peak_tflops: Annotated[float | None, typer.Option(help="Peak of a device, 1e12 FLOP/s; H100: 989.")] = None,
    zero: Annotated[int | None, typer.Option(help="ZeRO stage.", min=0, max=3)] = None,
    stall: Annotated[float | None, typer.Option(help="Seconds a checkpoint stops the training.")] = None,
    failures: Annotated[float | None, typer.Option(help="Hours between failures.")] = None,
    after_step: Annotated[int | None, typer.Option(help="Print the tokens seen after this step.", min=0)] = None,
) -> None:
    """Turn tokens into optimizer steps, FLOPs, days, memory and a checkpoint interval."""
    mixture = _mixture(run) if run is not None else None
    base = preset(preset_name) if preset_name else _own(parameters, tokens or (mixture or {}).get("budget_tokens"))
    try:
        ramp = Ramp(tuple(batch), tuple(round(s) for s in switch)) if batch else base.ramp
    except ValueError as error:
        raise RecipeError("plan", [str(error)]) from error
    given = {
        "parameters": parameters,
        "tokens": round(tokens) if tokens else None,
        "ramp": ramp,
        "devices": devices,
        "mfu": mfu,
        "peak_flops": peak_tflops * 1e12 if peak_tflops else None,
        "zero_stage": zero,
        "stall_seconds": stall,
        "between_failures_seconds": failures * 3600 if failures else None,
    }
    planned = replace(base, **{key: value for key, value in given.items() if value is not None})
    table = Table("", "", "", show_header=False)
    for line in plan_lines(planned, after_step):
        table.add_row(*line)
    for source, facts in (mixture or {}).get("sources", {}).items():
        times = facts["share"] * planned.tokens / facts["tokens_available"]
        table.add_row(
            f"epochs of {source}", f"{times:.2f}", f"{facts['tokens_available']:,} tokens, {facts['share']:.1%}"
        )
    console.print(table)


def _own(parameters: float | None, tokens: float | None) -> Training:
    if parameters is None or tokens is None:
        raise InputError("nothing to plan: give --preset, or --parameters with --tokens (or --run)")
    return Training(parameters, round(tokens), Ramp((2**22,)), devices=8, peak_flops=H100, mfu=0.4)


def _mixture(run: Path) -> dict:
    from curation.run.folder import RunFolder, read_json

    folder = RunFolder(run.absolute())
    if not folder.mixture.is_file():
        raise InputError(f"{run} holds no mixture.json; its recipe needs a mixture section")
    return read_json(folder.mixture)

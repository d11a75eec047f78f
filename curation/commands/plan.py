"""`curate plan`: what a training run costs in steps, compute, days and memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from curation.commands.app import command, console
from curation.errors import InputError, RecipeError
from curation.plan.data import check_mixture, phase_plans, phase_ramp, source_plans
from curation.plan.lines import Line, plan_lines
from curation.plan.preset import H100, PRESETS, Training, preset
from curation.plan.steps import Ramp
from curation.report.numbers import short
from curation.report.tables import WIDE, compact_table
from curation.run.folder import RunFolder, read_json


@command("plan")
def plan(
    preset_name: Annotated[str | None, typer.Option("--preset", help=f"A published run: {', '.join(PRESETS)}.")] = None,
    parameters: Annotated[float | None, typer.Option(help="Parameters of the model, such as 7e9.", min=1)] = None,
    active: Annotated[
        float | None, typer.Option(help="Of these, used for a token (mixture of experts).", min=1)
    ] = None,
    tokens: Annotated[
        float | None, typer.Option(help="Tokens to train on; default: those of the mixture.", min=1)
    ] = None,
    mixture: Annotated[
        Path | None, typer.Option(help="A mixture.json: epochs of its sources, steps of phases.")
    ] = None,
    run: Annotated[Path | None, typer.Option(help="A run folder; its mixture.json is taken.")] = None,
    batch: Annotated[list[int], typer.Option(help="Batch in tokens; again for each size of a ramp.", min=1)] = [],  # noqa: B006
    switch: Annotated[list[float], typer.Option(help="Tokens after which the next batch size begins.")] = [],  # noqa: B006
    devices: Annotated[int | None, typer.Option(help="Accelerators.", min=1)] = None,
    mfu: Annotated[float | None, typer.Option(help="Share of the peak that is sustained.", min=0.01, max=1)] = None,
    peak_tflops: Annotated[float | None, typer.Option(help="Peak of a device, 1e12 FLOP/s; H100: 989.")] = None,
    zero: Annotated[int | None, typer.Option(help="ZeRO stage.", min=0, max=3)] = None,
    stall: Annotated[float | None, typer.Option(help="Seconds a checkpoint stops the training.")] = None,
    failures: Annotated[float | None, typer.Option(help="Hours between failures.")] = None,
    context: Annotated[int | None, typer.Option(help="Sequence length for activations and cache.", min=1)] = None,
    serve_bits: Annotated[int | None, typer.Option(help="Bits of a weight when served.", min=1, max=32)] = None,
    after_step: Annotated[int | None, typer.Option(help="Print the tokens seen after this step.", min=0)] = None,
) -> None:
    """Turn tokens into optimizer steps, FLOPs, days, memory and a checkpoint interval."""
    mixed = _mixture(mixture, run)
    wanted = tokens or (mixed["budget_tokens"] if mixed else None)
    base = preset(preset_name) if preset_name else _own(parameters, wanted)
    given = {
        "parameters": parameters,
        "active": active,
        "tokens": round(wanted) if wanted else None,
        "ramp": _ramp(batch, switch, base.ramp),
        "devices": devices,
        "mfu": mfu,
        "peak_flops": peak_tflops * 1e12 if peak_tflops else None,
        "zero_stage": zero,
        "stall_seconds": stall,
        "between_failures_seconds": failures * 3600 if failures else None,
        "context": context,
        "serve_bits": serve_bits,
    }
    planned = replace(base, **{key: value for key, value in given.items() if value is not None})
    phases = phase_plans(mixed, planned.tokens, planned.ramp) if mixed else []
    cut = phase_ramp(mixed, planned.tokens, planned.ramp) if mixed else None
    title = preset_name or f"{short(planned.parameters)} parameters"
    console.print(_table(title, plan_lines(planned, after_step, cut), console.width))
    if mixed:
        console.print(_sources(mixed, planned.tokens))
    if phases:
        console.print(_phases(phases))


def _ramp(batch: list[int], switch: list[float], default: Ramp) -> Ramp:
    if not batch and switch:
        raise RecipeError("plan", ["--switch without --batch: give the batch sizes too, one more than switches"])
    try:
        return Ramp(tuple(batch), tuple(round(s) for s in switch)) if batch else default
    except ValueError as error:
        raise RecipeError("plan", [str(error)]) from error


def _own(parameters: float | None, tokens: float | None) -> Training:
    if parameters is None or tokens is None:
        raise InputError("nothing to plan: give --preset, or --parameters with --tokens (or --mixture, or --run)")
    return Training(parameters, round(tokens), Ramp((2**22,)), devices=8, peak_flops=H100, mfu=0.4)


def _mixture(file: Path | None, run: Path | None) -> Mapping[str, Any] | None:
    if file is None and run is None:
        return None
    if file is not None and run is not None:
        raise InputError("give --mixture or --run, not both")
    path = file or RunFolder(run.absolute()).mixture
    if not path.is_file():
        raise InputError(
            f"{path} does not exist; `curate mix solve ... --out` writes one, or a run with a mixture section"
        )
    try:
        return check_mixture(read_json(path), path)
    except ValueError as error:
        raise InputError(f"{path} is no JSON: {error}") from error


def _table(title: str, groups: Mapping[str, list[Line]], width: int) -> Table:
    """What, figure, and how it comes about; below 100 columns the last is under the figure, which stays whole."""
    wide = width >= WIDE
    table = Table(title=title, title_justify="left", box=box.SIMPLE, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(style="cyan", no_wrap=wide)
    if wide:
        table.add_column(style="dim")
    for lines in groups.values():
        for what, figure, why in lines:
            table.add_row(what, figure, why) if wide else table.add_row(what, Text(figure).append(f"\n{why}", "dim"))
        table.add_section()
    return table


def _sources(mixture: Mapping[str, Any], tokens: int) -> Table:
    table = compact_table("what the run sees of each source")
    table.add_column("source")
    for name in ("available", "share", "tokens seen", "epochs", "worth of fresh"):
        table.add_column(name, justify="right")
    for one in source_plans(mixture, tokens):
        table.add_row(
            one.name, short(one.available), f"{one.share:.2%}", short(one.tokens), f"{one.epochs:.2f}",
            f"{one.worth:.1%}",
        )  # fmt: skip
    return table


def _phases(phases: list) -> Table:
    table = compact_table("phases")
    table.add_column("phase")
    for name in ("tokens", "sequence length", "steps", "ends after step"):
        table.add_column(name, justify="right")
    for one in phases:
        length = f"{one.sequence_length:,}" if one.sequence_length else "that of the shards"
        steps = " + ".join(f"{count:,}" for count in one.steps)
        table.add_row(one.name, short(one.tokens), length, steps, f"{one.ends_after_step:,}")
    return table

"""A plan as lines of (what, figure, how it comes about), group by group."""

from __future__ import annotations

from curation.plan.compute import (
    activation_memory,
    attention_flops,
    checkpoint_interval,
    optimal_size,
    serving_memory,
    training_days,
    training_flops,
    training_memory,
)
from curation.plan.loss import REFITTED
from curation.plan.preset import Training
from curation.plan.steps import Ramp
from curation.report.numbers import file_size, short

Line = tuple[str, str, str]


def plan_lines(run: Training, after_step: int | None = None, phases: Ramp | None = None) -> dict[str, list[Line]]:
    """Everything that can be said of a run: data, compute, memory and failures.

    `phases` is the ramp with the ends of phases in it, where the run has some: it says what `after_step` has seen.
    """
    return {
        "data": _data(run, after_step, phases or run.ramp),
        "compute": _compute(run),
        "memory": _memory(run),
        "failures": _failures(run),
    }


def _data(run: Training, after_step: int | None, ramp: Ramp) -> list[Line]:
    steps = run.ramp.steps(run.tokens)
    lines = [
        ("tokens", f"{run.tokens:,}", f"{run.tokens / run.parameters:,.1f} a parameter"),
        (
            "optimizer steps",
            " + ".join(f"{s:,}" for s in steps) + (f" = {sum(steps):,}" if len(steps) > 1 else ""),
            "batches of " + ", ".join(_batches(run)) + " tokens",
        ),
    ]
    if len(steps) > 1:
        alone = -(-run.tokens // run.ramp.batches[-1])
        more = sum(steps) - alone
        lines.append(("at the last batch size", f"{alone:,}", f"the ramp adds {more:,} steps, {more / alone:.0%}"))
    if after_step is not None:
        seen = min(ramp.tokens_after(after_step), run.tokens)
        why = f"{seen / run.tokens:.1%} of the run" if seen < run.tokens else "all of them"
        lines.append((f"tokens after step {after_step:,}", f"{seen:,}", why))
    return lines


def _batches(run: Training) -> list[str]:
    """Batch sizes, with sequences where their length is known and divides them."""
    lengths = run.sequences if len(run.sequences) == len(run.ramp.batches) else (0,) * len(run.ramp.batches)
    return [
        f"{batch:,} ({batch // length:,} x {length:,})" if length and batch % length == 0 else f"{batch:,}"
        for batch, length in zip(run.ramp.batches, lengths, strict=True)
    ]


def _compute(run: Training) -> list[Line]:
    used = run.active or run.parameters
    flops = training_flops(used, run.tokens)
    days = training_days(flops, run.devices, run.peak_flops, run.mfu)
    hours = days * 24 * run.devices
    speed = f"{run.devices:,} devices at {run.mfu:.0%} of {run.peak_flops / 1e12:.0f} TFLOP/s"
    lines = [
        ("compute", f"{flops:.3g} FLOPs", "6 x parameters x tokens" + (", active ones only" if run.active else "")),
        (
            "time",
            f"{days:.1f} days" if days >= 2 else f"{days * 24:.1f} hours",
            f"{speed}: {short(round(hours))} device-hours, without interruptions",
        ),
    ]
    if None not in (run.layers, run.width, run.context):
        more = attention_flops(run.layers, run.width, run.context, run.tokens) / flops
        lines.insert(1, ("attention", f"{more:.1%} more", f"over {run.context:,} tokens; not in 6ND"))
    if not run.active:
        n, d = optimal_size(flops)
        lines.append(("same compute, Chinchilla", f"{short(n)} on {short(d)} tokens", "20 tokens a parameter"))
        n, d = REFITTED.optimal_size(flops)
        why = "Chinchilla's runs fitted again, arXiv 2404.10102"
        lines.append(("same compute, loss law", f"{short(n)} on {short(d)} tokens", why))
    return lines


def _memory(run: Training) -> list[Line]:
    each = training_memory(run.parameters, run.devices, run.zero_stage)
    why = f"ZeRO stage {run.zero_stage} over {run.devices:,} devices, without activations"
    lines = [
        ("training state", file_size(round(training_memory(run.parameters))), "16 bytes a parameter"),
        ("a device holds", file_size(round(each)), why),
    ]
    if None not in (run.layers, run.width, run.heads, run.context):
        shape = (run.layers, run.width, run.heads, run.context)
        kept, cheap = (activation_memory(*shape, recompute=r) for r in ("nothing", "attention"))
        why = f"one sequence of {run.context:,}; {file_size(round(cheap))} with attention recomputed"
        lines.append(("activations", file_size(round(kept)), why))
    if None not in (run.layers, run.kv_heads, run.context):
        weights, cache = serving_memory(
            run.parameters, run.layers, run.kv_heads, run.head_size, run.context, bytes_each=run.serve_bits / 8
        )
        why = f"{run.serve_bits}-bit weights; cache of one sequence of {run.context:,}; about a fifth more to run"
        lines.append(("serving", f"{file_size(round(weights))} weights + {file_size(round(cache))} cache", why))
    return lines


def _failures(run: Training) -> list[Line]:
    if run.between_failures_seconds is None:
        return []
    every, lost = checkpoint_interval(run.stall_seconds, run.between_failures_seconds)
    why = f"{run.stall_seconds:.0f} s stall, {run.between_failures_seconds / 3600:.1f} h between failures (Young)"
    return [("checkpoint", f"every {every / 60:.0f} minutes, {lost:.0%} of time lost", why)]

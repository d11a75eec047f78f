"""A plan as lines of (what, figure, how it comes about)."""

from __future__ import annotations

from curation.plan.compute import (
    checkpoint_interval,
    optimal_size,
    serving_memory,
    training_days,
    training_flops,
    training_memory,
)
from curation.plan.preset import Training

Line = tuple[str, str, str]


def plan_lines(run: Training, after_step: int | None = None) -> list[Line]:
    """Everything that can be said of a run."""
    steps = run.ramp.steps(run.tokens)
    flops = training_flops(run.parameters, run.tokens)
    days = training_days(flops, run.devices, run.peak_flops, run.mfu)
    n, d = optimal_size(flops)
    batches = ", ".join(f"{batch:,}" for batch in run.ramp.batches)
    lines = [
        ("tokens", f"{run.tokens:,}", f"{run.tokens / run.parameters:.1f} a parameter"),
        ("optimizer steps", " + ".join(f"{s:,}" for s in steps) + f" = {sum(steps):,}", f"batches of {batches} tokens"),
        ("compute", f"{flops:.3g} FLOPs", "6 x parameters x tokens"),
        (
            "time",
            f"{days:.1f} days",
            f"{run.devices:,} devices at {run.mfu:.0%} of {run.peak_flops / 1e12:.0f} TFLOP/s",
        ),
        ("same compute, Chinchilla", f"{n / 1e9:.0f} B on {d / 1e12:.2f} T tokens", "20 tokens a parameter"),
        ("training state", f"{training_memory(run.parameters) / 1e12:.2f} TB", "16 bytes a parameter"),
        (
            "a device holds",
            f"{training_memory(run.parameters, run.devices, run.zero_stage) / 1e9:.2f} GB",
            f"ZeRO stage {run.zero_stage} over {run.devices:,} devices, without activations",
        ),
    ]
    if after_step is not None:
        lines.insert(2, (f"tokens after step {after_step:,}", f"{run.ramp.tokens_after(after_step):,}", ""))
    if run.between_failures_seconds is not None:
        every, lost = checkpoint_interval(run.stall_seconds, run.between_failures_seconds)
        why = f"{run.stall_seconds:.0f} s stall, {run.between_failures_seconds / 3600:.1f} h between failures (Young)"
        lines.append(("checkpoint", f"every {every / 60:.0f} minutes, {lost:.0%} of time lost", why))
    shape = (run.layers, run.kv_heads, run.head_size, run.context)
    if all(part is not None for part in shape):
        weights, cache = serving_memory(run.parameters, *shape)
        why = f"16-bit; one sequence of {run.context:,} tokens"
        lines.append(("serving", f"{weights / 1e9:.0f} GB weights + {cache / 1e9:.2f} GB cache", why))
    return lines

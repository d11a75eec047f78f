"""What a plan is made for: sizes and settings of a training run, and the published runs that come as presets."""

from __future__ import annotations

from dataclasses import dataclass

from curation.errors import RecipeError, did_you_mean
from curation.plan.steps import Ramp


@dataclass(frozen=True)
class Training:
    """A training run. `peak_flops` is FLOP/s a device, `mfu` the share of it that is sustained."""

    parameters: float
    tokens: int
    ramp: Ramp
    devices: int
    peak_flops: float
    mfu: float
    zero_stage: int = 3
    stall_seconds: float = 60.0  # that a checkpoint stops the training for
    between_failures_seconds: float | None = None
    layers: int | None = None
    kv_heads: int | None = None
    head_size: int | None = None
    context: int | None = None  # tokens, for the serving memory


H100 = 989e12  # dense BF16 FLOP/s, NVIDIA H100 SXM data sheet

PRESETS = {
    # Dubey et al. 2024, arXiv 2407.21783: sections 3.2 (sizes), 3.3 (16,384 GPUs at 400 TFLOP/s; 419 unexpected
    # interruptions in 54 days), 3.4.1 (the ramp). The minute's stall is the planner's own example.
    "llama3-405b": Training(
        parameters=405e9,
        tokens=15_600_000_000_000,
        ramp=Ramp((2**22, 2**23, 2**24), (252_000_000, 2_870_000_000_000)),
        devices=16_384,
        peak_flops=H100,
        mfu=400e12 / H100,
        between_failures_seconds=54 * 86_400 / 419,
        layers=126,
        kv_heads=8,
        head_size=128,
        context=8_192,
    ),
    # Hoffmann et al. 2022, arXiv 2203.15556, table 4: 70 B on 1.4 T tokens, batches of 1.5 M doubled to 3 M half-way.
    # Devices and utilisation are the planner's example; the paper names none.
    "chinchilla-70b": Training(
        parameters=70e9,
        tokens=1_400_000_000_000,
        ramp=Ramp((1_500_000, 3_000_000), (700_000_000_000,)),
        devices=1_024,
        peak_flops=H100,
        mfu=0.4,
    ),
}


def preset(name: str) -> Training:
    """A published run by name. Raises RecipeError with a suggestion."""
    if name not in PRESETS:
        raise RecipeError("plan", [f"no preset '{name}'; {did_you_mean(name, list(PRESETS))}"])
    return PRESETS[name]

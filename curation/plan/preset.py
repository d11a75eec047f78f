"""What a plan is made for: sizes and settings of a training run, and the published runs that come as presets."""

from __future__ import annotations

from dataclasses import dataclass

from curation.errors import RecipeError, did_you_mean
from curation.plan.steps import Ramp


@dataclass(frozen=True)
class Training:
    """A training run. `peak_flops` is FLOP/s a device, `mfu` the share of it that is sustained.

    `active` is the parameters that a token uses, where that is not all of them (mixture of experts). `sequences` is the
    sequence length in tokens at each batch size of the ramp. `layers` to `context` are the shape of the model, `width`
    and `heads` for activations, `kv_heads` for the cache; `context` in tokens.
    """

    parameters: float
    tokens: int
    ramp: Ramp
    devices: int
    peak_flops: float
    mfu: float
    active: float | None = None
    sequences: tuple[int, ...] = ()
    zero_stage: int = 3
    stall_seconds: float = 60.0  # that a checkpoint stops the training for
    between_failures_seconds: float | None = None
    layers: int | None = None
    width: int | None = None
    heads: int | None = None
    kv_heads: int | None = None
    head_size: int = 128
    context: int | None = None
    serve_bits: int = 16  # of a weight when the model is served


H100 = 989e12  # dense BF16 FLOP/s, NVIDIA H100 SXM data sheet; the H800 has the same

PRESETS = {
    # Dubey et al. 2024, arXiv 2407.21783: section 3.2 (sizes), 3.3 (16,384 GPUs at 400 TFLOP/s; 419 unexpected
    # interruptions in 54 days), 3.4.1 (the ramp). The minute's stall is the planner's own example.
    "llama3-405b": Training(
        parameters=405e9,
        tokens=15_600_000_000_000,
        ramp=Ramp((2**22, 2**23, 2**24), (252_000_000, 2_870_000_000_000)),
        sequences=(4_096, 8_192, 8_192),
        devices=16_384,
        peak_flops=H100,
        mfu=400e12 / H100,
        between_failures_seconds=54 * 86_400 / 419,
        layers=126,
        width=16_384,
        heads=128,
        kv_heads=8,
        context=8_192,
    ),
    # The same report, table 3, for the shape; devices and utilisation are an example.
    "llama3-8b": Training(
        parameters=8e9,
        tokens=15_000_000_000_000,
        ramp=Ramp((2**22,)),
        devices=1_024,
        peak_flops=H100,
        mfu=0.4,
        layers=32,
        width=4_096,
        heads=32,
        kv_heads=8,
        context=8_192,
    ),
    # Touvron et al. 2023, arXiv 2302.13971, table 2: 6.7 B on 1 T tokens in batches of 4 M; sequences of 2,048 (model
    # card). Eight H100 are an example.
    "llama1-7b": Training(
        parameters=6.7e9,
        tokens=1_000_000_000_000,
        ramp=Ramp((4_000_000,)),
        devices=8,
        peak_flops=H100,
        mfu=0.4,
        layers=32,
        width=4_096,
        heads=32,
        kv_heads=32,
        context=2_048,
    ),
    # Hoffmann et al. 2022, arXiv 2203.15556, table 4: 70 B on 1.4 T tokens, batches of 1.5 M doubled to 3 M half-way.
    # Devices and utilisation are an example; the paper names none.
    "chinchilla-70b": Training(
        parameters=70e9,
        tokens=1_400_000_000_000,
        ramp=Ramp((1_500_000, 3_000_000), (700_000_000_000,)),
        devices=1_024,
        peak_flops=H100,
        mfu=0.4,
    ),
    # Brown et al. 2020, arXiv 2005.14165, table 2.1: 175 B on 300 B tokens in batches of 3.2 M. Devices are an example.
    "gpt3-175b": Training(
        parameters=175e9,
        tokens=300_000_000_000,
        ramp=Ramp((3_200_000,)),
        sequences=(2_048,),
        devices=1_024,
        peak_flops=H100,
        mfu=0.4,
        layers=96,
        width=12_288,
        heads=96,
        kv_heads=96,
        context=2_048,
    ),
    # DeepSeek-AI 2024, arXiv 2412.19437: 671 B, 37 B active, 14.8 T tokens, 2,048 H800, 2.664 M hours: 35 % of the
    # BF16 peak. The batch grows from 3,072 to 15,360 sequences of 4,096 over 469 B tokens; here only the last.
    "deepseek-v3": Training(
        parameters=671e9,
        active=37e9,
        tokens=14_800_000_000_000,
        ramp=Ramp((15_360 * 4_096,)),
        sequences=(4_096,),
        devices=2_048,
        peak_flops=H100,
        mfu=0.347,
    ),
}


def preset(name: str) -> Training:
    """A published run by name. Raises RecipeError with a suggestion."""
    if name not in PRESETS:
        raise RecipeError("plan", [f"no preset '{name}'; {did_you_mean(name, list(PRESETS))}"])
    return PRESETS[name]

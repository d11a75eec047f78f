"""The planner's arithmetic gives the figures that are printed about published runs; each test names where."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from curation.plan.compute import (
    TRAIN_BYTES,
    activation_memory,
    attention_flops,
    checkpoint_interval,
    optimal_size,
    serving_memory,
    training_days,
    training_flops,
    training_memory,
    utilisation,
)
from curation.plan.loss import PRINTED, REFITTED
from curation.plan.preset import H100, PRESETS

LLAMA3, DEEPSEEK, GPT3, LLAMA1 = (PRESETS[n] for n in ("llama3-405b", "deepseek-v3", "gpt3-175b", "llama1-7b"))
HOUR, DAY = 3600, 86_400
GIB = 1024**3


def test_compute_of_llama_3_and_gpt_3():
    """Dubey et al. 2024: 3.8e25. Brown et al. 2020, table D.1: 3.14e23, against 3.15e23 by 6ND."""
    assert training_flops(LLAMA3.parameters, LLAMA3.tokens) == pytest.approx(3.8e25, rel=0.01)
    assert training_flops(GPT3.parameters, GPT3.tokens) == pytest.approx(3.15e23)
    assert training_flops(GPT3.parameters, GPT3.tokens) == pytest.approx(3.14e23, rel=0.005)


def test_time_of_llama_3():
    """400 TFLOP/s on 16,384 H100: 5.8 M seconds, 67 days, 26 M device-hours; that is 40 to 41 % of the peak of 989."""
    days = training_days(training_flops(405e9, 15.6e12), 16_384, H100, 400e12 / H100)
    assert days * DAY == pytest.approx(5.8e6, rel=0.005)
    assert round(days) == 67
    assert days * 24 * 16_384 == pytest.approx(26e6, rel=0.02)
    assert days * DAY * 16_384 == pytest.approx(9.5e10, rel=0.005)
    assert 0.40 < LLAMA3.mfu < 0.41


def test_utilisation_of_deepseek_v3_and_how_much_more_llama_3_cost():
    """DeepSeek-AI 2024: 2.664 M hours of H800 for 37 B active parameters on 14.8 T tokens: 35 % of the BF16 peak."""
    flops = training_flops(DEEPSEEK.active, DEEPSEEK.tokens)
    assert flops == pytest.approx(3.3e24, rel=0.005)
    assert utilisation(flops, 2.664e6, H100) == pytest.approx(0.35, abs=0.005)
    assert utilisation(flops, 2.664e6, 2 * H100) == pytest.approx(0.17, abs=0.005)  # of the FP8 peak
    assert training_flops(405e9, 15.6e12) / flops == pytest.approx(11.5, abs=0.05)
    days = training_days(flops, DEEPSEEK.devices, DEEPSEEK.peak_flops, DEEPSEEK.mfu)
    assert days * 24 * DEEPSEEK.devices == pytest.approx(2.664e6, rel=0.005)


def test_utilisation_and_time_are_inverse():
    days = training_days(1e24, 512, H100, 0.37)
    assert utilisation(1e24, days * 24 * 512, H100) == pytest.approx(0.37)


def test_ramp_of_llama_3():
    """Batches of 4, 8 and 16 M tokens by sequences of 4,096 and 8,192; 1.10 M steps against 930,000."""
    assert LLAMA3.ramp.batches == (1024 * 4096, 1024 * 8192, 2048 * 8192) == (2**22, 2**23, 2**24)
    steps = LLAMA3.ramp.steps(LLAMA3.tokens)
    assert steps == [61, 342_101, 758_768]
    assert sum(steps) == pytest.approx(1.10e6, rel=0.001)
    alone = -(-LLAMA3.tokens // 2**24)
    assert alone == pytest.approx(930_000, rel=0.001)
    assert sum(steps) - alone == pytest.approx(170_000, rel=0.01)
    assert round(100 * (sum(steps) / alone - 1)) == 18
    assert LLAMA3.tokens / 1.6e7 == 975_000  # at a round 16 million


def test_tokens_at_the_switches_of_llama_3s_ramp():
    assert LLAMA3.ramp.tokens_after(61) == 252_000_000
    assert LLAMA3.ramp.tokens_after(61 + 342_101) == 2_870_000_000_000
    assert LLAMA3.ramp.tokens_after(62) == 252_000_000 + 2**23


def test_tokens_a_parameter():
    """Hoffmann et al. 2022: 20 of Chinchilla; GPT-3 saw fewer than 2; Llama 3 8B about 1,900."""
    assert PRESETS["chinchilla-70b"].tokens / 70e9 == 20
    assert GPT3.tokens / GPT3.parameters < 2
    assert PRESETS["llama3-8b"].tokens / 8e9 == pytest.approx(1900, rel=0.02)
    assert optimal_size(training_flops(70e9, 1.4e12)) == (pytest.approx(70e9), pytest.approx(1.4e12))


def test_gopher_and_chinchilla_cost_about_the_same():
    """280 B on 300 B tokens, 70 B on 1.4 T: "the same compute", which by 6ND is 5.0e23 and 5.9e23."""
    assert training_flops(280e9, 300e9) == pytest.approx(5.04e23)
    assert training_flops(70e9, 1.4e12) == pytest.approx(5.88e23)


def test_the_refitted_law_puts_gophers_budget_near_chinchilla_and_the_printed_one_far_from_it():
    """Besiroglu et al. 2024: about 20 tokens a parameter; the coefficients as printed advise 32 B, 93 a parameter."""
    parameters, tokens = REFITTED.optimal_size(5.76e23)
    assert round(parameters / 1e9) == 72
    assert tokens / parameters == pytest.approx(20, abs=2)
    assert round(PRINTED.optimal_size(5.76e23)[0] / 1e9) == 32
    assert REFITTED.loss(70e9, 1.4e12) < REFITTED.loss(280e9, 300e9)


@pytest.mark.parametrize("law", [PRINTED, REFITTED], ids=["printed", "refitted"])
@pytest.mark.parametrize("flops", [1e20, 5.76e23, 3.8e25])
def test_optimal_size_is_the_minimum_of_the_law(law, flops):
    found = minimize_scalar(lambda n: law.loss(10**n, flops / 6 / 10**n), bounds=(6, 14), method="bounded").x
    assert np.log10(law.optimal_size(flops)[0]) == pytest.approx(found, abs=1e-4)


def test_training_state_is_sixteen_bytes_a_parameter():
    """Rajbhandari et al. 2020 (ZeRO): 2 + 2 + 4 + 4 + 4; 405 B need 6.5 TB, a 7 B model 107 GB (6.7 B parameters)."""
    assert TRAIN_BYTES == 2 + 2 + 4 + 4 + 4
    assert training_memory(405e9) == pytest.approx(6.5e12, rel=0.005)
    assert training_memory(LLAMA1.parameters) == pytest.approx(107e9, rel=0.005)
    assert serving_memory(1.5e9, 48, 25, 64, 1)[0] == 3e9  # ZeRO's first example: weights of 3 GB, 24 GB with the state
    assert training_memory(1.5e9) == 24e9


def test_zero_shards_120_gb_to_1_9():
    """ZeRO, figure 1: 7.5 B parameters on 64 devices: 120 GB, then 31.4, 16.6 and 1.9 GB at stages 1 to 3."""
    held = [training_memory(7.5e9, 64, stage) / 1e9 for stage in range(4)]
    assert held == [
        pytest.approx(120),
        pytest.approx(31.4, abs=0.05),
        pytest.approx(16.6, abs=0.05),
        pytest.approx(1.9, abs=0.05),
    ]


def test_activations_of_llama_7b():
    """One sequence of 4,096: about the state again; 211 GB in all, 118 on 8 devices, 32 recomputed."""
    shape = (LLAMA1.layers, LLAMA1.width, LLAMA1.heads, 4096)
    kept, cheap = (activation_memory(*shape, recompute=r) / 1e9 for r in ("nothing", "attention"))
    assert training_memory(6.7e9) / 1e9 + kept == pytest.approx(211, abs=0.6)
    assert training_memory(6.7e9, 8, 3) / 1e9 + kept == pytest.approx(118, abs=0.6)
    assert training_memory(6.7e9, 8, 3) / 1e9 + cheap == pytest.approx(32, abs=0.5)


def test_activations_of_gpt_3_and_what_recomputing_attention_saves():
    """Korthikanti et al. 2022, section 5: 5 a s / h is 80 for GPT-3, so recomputing attention saves 70 % of 114."""
    shape = (GPT3.layers, GPT3.width, GPT3.heads, GPT3.context)
    saved = 1 - activation_memory(*shape, recompute="attention") / activation_memory(*shape)
    assert saved == pytest.approx(80 / 114)
    assert activation_memory(*shape, batch=3) == 3 * activation_memory(*shape)


def test_attention_beside_6nd():
    """12 L d T a token (Chowdhery et al. 2022): small at 4,096 for a large model, not for a long context."""
    extra = {t: attention_flops(126, 16_384, t, 1) / training_flops(405e9, 1) for t in (4_096, 131_072)}
    assert extra[4_096] < 0.05
    assert extra[131_072] > 1


def test_checkpoints_of_llama_3():
    """419 unexpected interruptions in 54 days: one in 3.1 hours; Young 1974: every 19 minutes, 10 % lost."""
    between = 54 * DAY / 419
    assert between / HOUR == pytest.approx(3.1, abs=0.05)
    assert LLAMA3.between_failures_seconds == between
    every, lost = checkpoint_interval(60, between)
    assert round(every / 60) == 19
    assert lost == pytest.approx(0.10, abs=0.005)


@pytest.mark.parametrize(("bits", "gib"), [(16, 14.9), (8, 7.45), (4, 3.73)])
def test_serving_weights_of_an_8b_model(bits, gib):
    """2, 1 and 0.5 bytes a parameter: 4 bits take a quarter of 16."""
    weights, _ = serving_memory(8e9, 32, 8, 128, 8192, bytes_each=bits / 8)
    assert weights / GIB == pytest.approx(gib, abs=0.01)


def test_cache_of_a_7b_model_is_half_a_mebibyte_a_token():
    """The rule "0.5 MB a token for a 7 B model at 16 bits": 2 x 32 layers x 32 heads x 128 x 2 bytes."""
    _, cache = serving_memory(6.7e9, LLAMA1.layers, LLAMA1.kv_heads, 128, 1)
    assert cache == 0.5 * 1024**2
    _, long = serving_memory(6.7e9, LLAMA1.layers, LLAMA1.kv_heads, 128, 4096, batch=2)
    assert long == 2 * 4096 * cache


def test_grouped_heads_make_the_rule_of_thumb_four_and_a_half_times_too_large():
    """Llama 3 8B has 8 key-value heads: 1 GiB for 8,192 tokens, where scaling the 7 B rule by size says 4.6."""
    _, cache = serving_memory(8e9, 32, 8, 128, 8192)
    assert cache == GIB
    rule = 8192 * (8 / 7) * 0.5 * 1024**2
    assert rule / cache == pytest.approx(4.57, abs=0.01)

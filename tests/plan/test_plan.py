"""The planner reproduces the published figures, and steps and tokens convert both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from curation.cli import app
from curation.plan.compute import checkpoint_interval, optimal_size, training_flops, training_memory
from curation.plan.steps import Ramp

LLAMA3 = Ramp((2**22, 2**23, 2**24), (252_000_000, 2_870_000_000_000))


def test_llama3_ramp_gives_the_published_steps():
    assert LLAMA3.steps(15_600_000_000_000) == [61, 342_101, 758_768]


def walk(ramp, steps, tokens=None):
    """Tokens after a number of steps, taken one by one."""
    done = 0
    for _ in range(steps):
        stage = sum(done >= switch for switch in ramp.switches)
        ends = [*ramp.switches[stage : stage + 1], *([] if tokens is None else [tokens])]
        done = min([done + ramp.batches[stage], *ends])
    return done


@given(st.lists(st.integers(1, 50), min_size=1, max_size=4), st.data(), st.integers(0, 60), st.integers(1, 1500))
def test_ramp_equals_a_walk_step_by_step(batches, data, step, tokens):
    count = len(batches) - 1
    rising = st.lists(st.integers(1, 1000), min_size=count, max_size=count, unique=True).map(sorted)
    ramp = Ramp(tuple(batches), tuple(data.draw(rising)))
    assert ramp.tokens_after(step) == walk(ramp, step)
    steps = sum(ramp.steps(tokens))
    assert walk(ramp, steps, tokens) == tokens
    assert walk(ramp, steps - 1, tokens) < tokens


@pytest.mark.parametrize(
    ("batches", "switches"),
    [((1, 2), ()), ((0,), ()), ((1, 2, 3), (5, 5)), ((1, 2), (-1,))],
    ids=["switch missing", "empty batch", "switches equal", "negative switch"],
)
def test_impossible_ramp_is_refused(batches, switches):
    with pytest.raises(ValueError, match="batch|switch"):
        Ramp(batches, switches)


def test_chinchilla_is_its_own_optimum():
    n, d = optimal_size(training_flops(70e9, 1.4e12))
    assert n == pytest.approx(70e9)
    assert d == pytest.approx(1.4e12)


def test_training_state_is_sixteen_bytes_and_shards_by_stage():
    assert training_memory(1e9) == 16e9
    assert [training_memory(1e9, 4, stage) / 1e9 for stage in range(4)] == [16, 7, 5.5, 4]


def test_young_interval_is_the_minimum_of_the_loss():
    stall, mtbf = 60.0, 54 * 86_400 / 419
    best, lost = checkpoint_interval(stall, mtbf)

    def loss(interval):
        return stall / interval + interval / (2 * mtbf)

    assert loss(best) == pytest.approx(lost)
    assert loss(best) < min(loss(best * 0.9), loss(best * 1.1))


def test_preset_prints_the_published_figures():
    done = CliRunner().invoke(app, ["plan", "--preset", "llama3-405b"])
    assert done.exit_code == 0
    for figure in ("61 + 342,101 + 758,768", "3.79e+25 FLOPs", "66.9 days", "every 19 minutes", "6.48 TB"):
        assert figure in done.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--preset", "lama3-405b"], "did you mean 'llama3-405b'"),
        ([], "nothing to plan"),
        (["--parameters", "7e9", "--tokens", "1e12", "--batch", "4", "--batch", "8"], "need 1 switches"),
    ],
    ids=["preset", "nothing", "ramp"],
)
def test_wrong_plan_is_refused_with_a_sentence(arguments, sentence):
    done = CliRunner().invoke(app, ["plan", *arguments])
    assert done.exit_code == 2
    assert sentence in " ".join(done.output.split())

"""A plan over a solved mixture: epochs, what repeats are worth, and the steps of each phase."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from curation.cli import app
from curation.errors import InputError
from curation.mixture import MixtureSettings, solve
from curation.plan.data import check_mixture, phase_plans, phase_ramp, source_plans
from curation.plan.steps import Ramp
from curation.recipe.mixtures import load_mixture


def llama1():
    preset = load_mixture("llama1")
    return solve(preset.tokens, preset.settings)


def test_llama_1_reaches_its_epochs_and_a_longer_run_more():
    found = {one.name: one for one in source_plans(llama1(), 1_400_000_000_000)}
    assert round(found["wikipedia"].epochs, 2) == 2.45
    assert found["wikipedia"].worth == pytest.approx(0.973, abs=0.001)
    assert found["github"].worth == 1
    longer = {one.name: one for one in source_plans(llama1(), 14_000_000_000_000)}
    assert longer["wikipedia"].epochs == pytest.approx(24.5, abs=0.05)
    assert longer["wikipedia"].worth < 0.55


def phased(*budgets):
    phases = [{"name": f"p{i}", "budget_tokens": b, "sources": {"web": 1.0}} for i, b in enumerate(budgets)]
    return solve({"web": sum(budgets)}, MixtureSettings(phases=phases))


@given(
    st.lists(st.integers(1, 500), min_size=1, max_size=4), st.integers(1, 60), st.integers(1, 1500), st.integers(1, 60)
)
def test_phases_cover_the_run_and_end_where_their_steps_say(budgets, batch, switch, later):
    mixture, total = phased(*budgets), sum(budgets)
    ramp = Ramp((batch, later), (switch,))
    found = phase_plans(mixture, total, ramp)
    assert [one.tokens for one in found] == budgets
    done = 0
    for one in found:
        done += one.tokens
        assert phase_ramp(mixture, total, ramp).tokens_after(one.ends_after_step) >= done
        assert phase_ramp(mixture, total, ramp).tokens_after(one.ends_after_step - 1) < done
    assert sum(sum(one.steps) for one in found) == found[-1].ends_after_step


def test_olmo_2_stages_in_steps_of_4_m_tokens():
    preset = load_mixture("olmo2")
    main, mid = phase_plans(solve(preset.tokens, preset.settings), 3_950_000_000_000, Ramp((2**22,)))
    assert main.steps == (929_833,) and mid.steps == (11_921,)
    assert (main.sequence_length, mid.ends_after_step) == (4096, 941_754)


def test_a_mixture_without_phases_has_none_and_keeps_the_ramp():
    assert phase_plans(llama1(), 100, Ramp((7,))) == []
    assert phase_ramp(llama1(), 100, Ramp((7,))) == Ramp((7,))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ([], "is no mixture.json"),
        ({"sources": {}}, "is no mixture.json"),
        ({"budget_tokens": 5, "sources": {"web": {"share": 1}}}, "source 'web' has no share or tokens_available"),
    ],
)
def test_other_files_are_refused(content, sentence):
    with pytest.raises(InputError, match=sentence):
        check_mixture(content, "x.json")


def curate(*arguments):
    done = CliRunner().invoke(app, ["plan", *map(str, arguments)])
    return done.exit_code, " ".join(done.output.split())


def test_plan_prints_epochs_and_phases_of_a_mixture(tmp_path):
    preset = load_mixture("olmo2")
    (tmp_path / "mixture.json").write_text(json.dumps(solve(preset.tokens, preset.settings)))
    code, said = curate("--parameters", "7e9", "--mixture", tmp_path / "mixture.json", "--after-step", 929_834)
    assert code == 0
    for figure in ("3,950,000,000,000", "3,900,004,194,304", "929,833", "11,921", "1.96", "98.5%"):
        assert figure in said
    assert curate("--parameters", "7e9", "--run", tmp_path)[1] == said.replace(
        "tokens after step 929,834 3,900,004,194,304 98.7% of the run ", ""
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--parameters", "7e9", "--mixture", "none.json"], "does not exist"),
        (["--mixture", "a", "--run", "b"], "not both"),
        (["--preset", "gpt3-175b", "--switch", "1e9"], "--switch without --batch"),
    ],
)
def test_wrong_plan_is_refused_with_a_sentence(arguments, sentence):
    code, said = curate(*arguments)
    assert code == 2
    assert sentence in said


def test_a_file_that_is_no_json_is_refused(tmp_path):
    (tmp_path / "m.json").write_text("{")
    code, said = curate("--parameters", "7e9", "--mixture", tmp_path / "m.json")
    assert code == 2
    assert "is no JSON" in said

"""Phases: each goes on in a source where the one before stopped, in order or alone."""

from collections import Counter

import pytest
from made_shards import write_source

from curation.errors import MixtureError, ResumeError
from curation.mixture import MixtureSettings, solve
from curation.reader import ShardReader
from curation.tokens import shards as shard_module
from curation.tokens.shards import tokens_by_source

LENGTH, ROWS = 8, {"web": 40, "wiki": 10}


@pytest.fixture
def tokens_dir(tmp_path, monkeypatch):
    """Row n of a source is document n. Row groups of 4 rows."""
    monkeypatch.setattr(shard_module, "ROW_GROUP_TOKENS", 4 * LENGTH)
    for name, rows in ROWS.items():
        write_source(tmp_path, name, [(n, LENGTH - 1) for n in range(rows)], "concat", LENGTH, shards=2)
    return tmp_path


def phases(*epochs: dict[str, float]) -> dict:
    names = ("main", "anneal", "long")
    return {
        "phases": [
            {"name": name, "sequence_length": None, "sources": {one: {"epochs": times} for one, times in by.items()}}
            for name, by in zip(names, epochs, strict=False)
        ]
    }


def test_solved_mixture_is_met_in_tokens_in_each_phase(tokens_dir):
    settings = MixtureSettings.model_validate(
        {
            "max_epochs": 4,
            "phases": [
                {"name": "main", "budget_tokens": 240, "sources": {"web": 0.75, "wiki": 0.25}},
                {
                    "name": "anneal",
                    "budget_tokens": 160,
                    "sources": {"web": 0.5, "wiki": 0.5},
                    "sequence_length": LENGTH,
                },
            ],
        }
    )
    mixture = solve(tokens_by_source(tokens_dir), settings)
    tokens = Counter()
    for row in ShardReader(tokens_dir, mixture):
        tokens[row["phase"], row["source"]] += len(row["input_ids"])
    asked = {
        (phase["name"], name): one["tokens"] for phase in mixture["phases"] for name, one in phase["sources"].items()
    }
    assert tokens.keys() == asked.keys() and len(asked) == 4
    assert all(abs(tokens[one] - asked[one]) <= LENGTH / 2 for one in tokens)  # to within half a row


def read(reader: ShardReader) -> list[tuple[str, str, int]]:
    return [(row["phase"], row["source"], int(row["doc_ids"][0])) for row in reader]


def test_later_phase_goes_on_where_the_earlier_one_stopped(tokens_dir):
    found = read(ShardReader(tokens_dir, phases({"web": 0.5, "wiki": 0.5}, {"wiki": 2.0}, {"web": 0.5, "wiki": 0.5})))
    assert [phase for phase, _, _ in found] == ["main"] * 25 + ["anneal"] * 20 + ["long"] * 25
    wiki = [n for _, source, n in found if source == "wiki"]
    assert all(sorted(wiki[at : at + 10]) == list(range(10)) for at in (0, 10, 20))
    assert sorted(n for _, source, n in found if source == "web") == list(range(40))


def test_three_phases_together_are_the_rows_of_one_in_each_source(tokens_dir):
    split = read(ShardReader(tokens_dir, phases({"web": 0.25}, {"web": 0.5}, {"web": 1.25})))
    whole = read(ShardReader(tokens_dir, phases({"web": 2.0})))
    assert [{n for *_, n in one[at : at + 40]} for one in (split, whole) for at in (0, 40)] == [set(range(40))] * 4
    assert [n for *_, n in split[:10]] != [n for *_, n in split[40:50]]  # the second pass has its own order


@pytest.mark.parametrize("world", [1, 3])
def test_phase_alone_is_its_part_of_the_run(tokens_dir, world):
    mixture = phases({"web": 0.3, "wiki": 0.5}, {"web": 0.2, "wiki": 1.0}, {"web": 0.5})
    whole = read(ShardReader(tokens_dir, mixture))
    for name in ("main", "anneal", "long"):
        readers = [ShardReader(tokens_dir, mixture, rank=rank, world=world, phase=name) for rank in range(world)]
        found = Counter(one for reader in readers for one in read(reader))
        assert found == Counter(one for one in whole if one[0] == name)


@pytest.mark.parametrize("done", [0, 7, 24, 25, 30, 44])
def test_resume_across_phases(tokens_dir, done):
    mixture = phases({"web": 0.5, "wiki": 0.5}, {"wiki": 2.0})
    whole = read(ShardReader(tokens_dir, mixture))
    reader = ShardReader(tokens_dir, mixture)
    reader.skip(done)
    again = ShardReader(tokens_dir, mixture)
    again.load_state_dict(reader.state_dict())
    assert read(again) == whole[done:]


def test_state_of_one_phase_is_not_taken_for_another(tokens_dir):
    mixture = phases({"web": 0.5}, {"web": 0.5})
    state = ShardReader(tokens_dir, mixture, phase="main").state_dict()
    with pytest.raises(ResumeError, match="phases"):
        ShardReader(tokens_dir, mixture, phase="anneal").load_state_dict(state)


def test_unknown_phase_is_refused(tokens_dir):
    with pytest.raises(MixtureError, match="no phase 'anneall'; did you mean 'anneal'"):
        ShardReader(tokens_dir, phases({"web": 0.5}, {"web": 0.5}), phase="anneall")


def test_source_missing_from_any_phase_is_refused(tokens_dir):
    with pytest.raises(MixtureError, match="'wikki' .did you mean 'wiki'"):
        ShardReader(tokens_dir, phases({"web": 0.5}, {"wikki": 0.5}))


def test_packed_shards_have_one_length(tokens_dir):
    mixture = phases({"web": 0.5}, {"web": 0.5})
    mixture["phases"][1]["sequence_length"] = 16
    with pytest.raises(MixtureError, match="packed to 8 tokens a row, rows of 16 are asked for: .*pack: none"):
        ShardReader(tokens_dir, mixture)
    mixture["phases"][1]["sequence_length"] = LENGTH
    assert len(read(ShardReader(tokens_dir, mixture))) == 40

"""The sample: shares in bytes, repeats and caps, what is held out, and counts against counting in one process."""

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.errors import InputError, MixtureError, TokenizerError
from curation.mixture import Limit, MixtureSettings, Phase
from curation.tokens import sample as module
from curation.tokens.pretokens import PATTERNS, count_pretokens
from curation.tokens.sample import WEIGHT_ONE, count_batches, judged_sources, share_out
from tests.tokens.conftest import make_texts

PATTERN = PATTERNS["qwen35"].regex


def even(count: int, size: int) -> list[tuple[int, int]]:
    """A source of `count` documents of `size` bytes each, draws 10, 20, ..."""
    return [(10 * n, size) for n in range(1, count + 1)]


def shares_of(plan) -> dict[str, float]:
    whole = sum(one.counted for one in plan.values())
    return {source: one.counted / whole for source, one in plan.items()}


def test_shares_of_the_mixture_are_the_shares_of_the_sample():
    plan = share_out(
        {"web": even(1000, 100), "wiki": even(500, 100)}, 30_000, MixtureSettings(sources={"web": 0.8, "wiki": 0.2})
    )
    assert (plan["web"].drawn, plan["wiki"].drawn) == (24_000, 6_000)
    assert shares_of(plan) == {"web": 0.8, "wiki": 0.2}


def test_without_shares_each_source_is_as_large_as_its_text():
    plan = share_out({"web": even(900, 100), "wiki": even(100, 100)}, 10_000, None)
    assert (plan["web"].drawn, plan["wiki"].drawn) == (9_000, 1_000)
    assert {one.weight for one in plan.values()} == {WEIGHT_ONE}


def test_small_source_counts_several_times_up_to_the_cap():
    sizes = {"web": even(1000, 100), "wiki": even(40, 100)}  # two of wiki's documents are held out
    twice = share_out(sizes, 38_000, MixtureSettings(sources={"web": 0.8, "wiki": 0.2}))
    assert twice["wiki"].weight == 2 * WEIGHT_ONE
    assert shares_of(twice) == pytest.approx({"web": 0.8, "wiki": 0.2}, abs=1e-3)
    capped = share_out(sizes, 38_000, MixtureSettings(sources={"web": 0.5, "wiki": 0.5}))
    assert (capped["wiki"].drawn, capped["wiki"].weight) == (3_800, 4 * WEIGHT_ONE)
    assert shares_of(capped)["wiki"] == pytest.approx(15.2 / 34.2)


def test_phases_even_shares_and_limits_of_the_mixture_count():
    sizes = {"web": even(2000, 100), "wiki": even(200, 100)}
    phases = (
        Phase(name="main", budget_tokens=300, sources={"web": 0.9, "wiki": 0.1}),
        Phase(name="end", budget_tokens=100, sources={"web": 0.5, "wiki": 0.5}),
    )
    plan = share_out(sizes, 40_000, MixtureSettings(phases=phases))
    assert plan["wiki"].asked == pytest.approx(0.2)
    assert shares_of(plan) == pytest.approx({"web": 0.8, "wiki": 0.2}, abs=0.01)
    even_out = share_out(sizes, 100_000, MixtureSettings(sources="unimax", limits={"wiki": Limit(max_epochs=2)}))
    assert even_out["wiki"].asked == 0.5
    assert even_out["wiki"].weight == 2 * WEIGHT_ONE


def test_limit_above_the_text_takes_all_that_is_not_held_out():
    plan = share_out({"web": even(100, 77), "wiki": even(37, 13)}, 10**9, None)
    for source, one in plan.items():
        assert one.drawn + one.judged == one.held, source
        assert 0 < one.judged <= one.held * module.JUDGED_FRACTION
        assert one.after == one.judged_below < one.below


def test_source_of_few_documents_is_trained_on_whole_and_not_judged_on():
    plan = share_out({"web": even(100, 100), "tiny": even(3, 50)}, 10**9, None)
    assert (plan["tiny"].after, plan["tiny"].drawn) == (-1, 150)
    assert judged_sources(plan) == (["web"], True)
    alone = share_out({"tiny": even(3, 50)}, 10**9, None)
    assert judged_sources(alone) == (["tiny"], False)
    assert alone["tiny"].judged_below == 10


SIZES = st.dictionaries(
    st.sampled_from(["web", "wiki", "code"]), st.lists(st.integers(1, 500), min_size=1, max_size=60), min_size=1
)


@settings(max_examples=200, deadline=None)
@given(SIZES, st.integers(600, 50_000), st.booleans())
def test_sample_never_passes_its_limit_and_never_holds_judged_text(sizes, limit, weighted):
    found = {source: [(n, size) for n, size in enumerate(some)] for source, some in sizes.items()}
    shares = MixtureSettings(sources={source: 1 / len(found) for source in found}) if weighted else None
    try:
        plan = share_out(found, limit, shares)
    except TokenizerError as error:
        assert "raise sample_bytes" in str(error)
        return
    assert sum(one.drawn for one in plan.values()) <= limit
    for source, one in plan.items():
        assert one.drawn == sum(size for at, size in found[source] if one.after < at <= one.below)
        assert one.after == -1 or one.after >= one.judged_below
        assert WEIGHT_ONE <= one.weight <= 4 * WEIGHT_ONE


def test_unknown_source_too_small_a_sample_and_overflow_are_refused():
    sizes = {"web": even(10, 100), "wiki": even(10, 100)}
    with pytest.raises(MixtureError, match="'wikki' has no tokens .did you mean 'wiki'"):
        share_out(sizes, 1000, MixtureSettings(sources={"web": 0.5, "wikki": 0.5}))
    with pytest.raises(TokenizerError, match="no document of wiki fits into its part of a sample of 1,000 bytes"):
        share_out(sizes, 1000, MixtureSettings(sources={"web": 0.95, "wiki": 0.05}))
    with pytest.raises(TokenizerError, match="no document of web, wiki fits"):
        share_out(sizes, 99, None)
    with pytest.raises(InputError, match="hold no text"):
        share_out({"web": [(1, 0)]}, 100, None)
    with pytest.raises(TokenizerError, match="overflow"):
        share_out({"web": [(1, 2**47)] * 64}, 2**53, MixtureSettings(sources={"web": 1.0}))


@pytest.mark.parametrize("flushed", [1, 50, 10**6])
def test_batches_count_as_one_process_does_times_the_weight(texts, monkeypatch, flushed):
    monkeypatch.setattr(module, "FLUSHED_PRETOKENS", flushed)
    weights = [WEIGHT_ONE if n % 3 else 2500 for n in range(60)]
    table = pa.table({"text": pa.array(texts[:60]), "weight": weights})
    found: Counter[str] = Counter()
    batches = list(count_batches(table.to_batches(max_chunksize=7), PATTERN))
    for batch in batches:
        for row in batch.to_pylist():
            found[row["pretoken"]] += row["count"]
    expected: Counter[str] = Counter()
    for text, weight in zip(texts[:60], weights, strict=True):
        for pretoken, count in count_pretokens([text], PATTERN).items():
            expected[pretoken] += count * weight
    assert found == expected
    assert len(batches) == (61 if flushed == 1 else len(batches))


@pytest.fixture(scope="module")
def documents(spark):
    rows = [(n, "wiki" if n % 4 == 0 else "web", "en", text) for n, text in enumerate(make_texts(160, seed=9))]
    return spark.createDataFrame(rows, "doc_id long, source string, language string, text string")


@pytest.mark.spark
def test_spark_draws_and_counts_what_the_plan_says(documents, tmp_path):
    plan = module.plan_sample(documents, 3, 60_000, MixtureSettings(sources={"web": 0.5, "wiki": 0.5}))
    drawn = {row["doc_id"]: row["draw"] for row in documents.select("doc_id", module._draw(3)).collect()}
    rows = documents.collect()
    chosen = {name: [r["text"] for r in rows if r["source"] == name and one.after < drawn[r["doc_id"]] <= one.below]
              for name, one in plan.items()}  # fmt: skip
    assert {name: sum(len(t.encode()) for t in some) for name, some in chosen.items()} == {
        name: one.drawn for name, one in plan.items()
    }
    assert 0.47 < shares_of(plan)["wiki"] < 0.53
    judged = module.held_out_texts(documents, plan, 3)
    assert judged and {text for *_, text in judged}.isdisjoint(text for some in chosen.values() for text in some)
    module.write_counts(documents.repartition(7), plan, 3, PATTERN, tmp_path / "counts")
    expected: Counter[str] = Counter()
    for name, some in chosen.items():
        for pretoken, count in count_pretokens(some, PATTERN).items():
            expected[pretoken] += count * plan[name].weight
    assert dict(module.read_counts(tmp_path / "counts", 0)) == expected


@pytest.mark.spark
def test_rarest_pretokens_are_dropped_whole_levels_at_a_time(spark, tmp_path):
    words = {"the": 9, "of": 5, "and": 5, "x": 1, "y": 1, "z": 1}
    rows = [(word, count * WEIGHT_ONE) for word, count in words.items()]
    counts = spark.createDataFrame(rows, "pretoken string, count long")
    counts.write.parquet(str(tmp_path / "counts"))
    for most, kept in ((6, 6), (5, 3), (3, 3), (2, 1), (1, 1)):
        least, facts = module.keep_commonest(counts, most)
        assert len(module.read_counts(tmp_path / "counts", least)) == facts["kept"] == kept
        assert facts["kept_occurrences"] == sum(sorted(words.values(), reverse=True)[:kept])
    assert (facts["pretokens"], facts["occurrences"], facts["rarest_kept"]) == (6, 22, 9)
    with pytest.raises(TokenizerError, match="more than 1 pre-tokens are equally common"):
        module.keep_commonest(counts.where("pretoken in ('x', 'y')"), 1)


@pytest.mark.spark
def test_documents_without_a_source_are_refused(spark):
    rows = spark.createDataFrame([(1, None, "text")], "doc_id long, source string, text string")
    with pytest.raises(InputError, match="no documents to draw"):
        module.plan_sample(rows.where("doc_id > 1"), 1, 100)
    with pytest.raises(InputError, match="without a source"):
        module.plan_sample(rows, 1, 100)

"""The eleven pages through the real stage, against similarities counted by brute force and the S-curve."""

from __future__ import annotations

from itertools import combinations

import pyarrow as pa
import pytest

from curation.dedup.curve import candidate_probability, count_interval
from curation.dedup.duplicates import minhash
from curation.dedup.form import form_words
from curation.dedup.pairwise import jaccard_matrix
from curation.document import to_batch
from curation.notebook import decide
from curation.sample.eleven import eleven_pages

FINEWEB = (14, 8)
FEWER_ROWS = [(37, 3), (14, 2)]  # of the same 112 hashes; of FineWeb's 14 bands
NEWS = {"news_story", "news_mirror", "news_syndicated"}
KETTLES = {"shop_kettle_blue", "shop_kettle_green"}
RECIPES = {"recipe_original", "recipe_reposted"}
SURE, CHANCE = 0.98, 0.1


@pytest.fixture(scope="module")
def pages():
    return eleven_pages()


@pytest.fixture(scope="module")
def jaccard(pages):
    """True similarity of each pair, by sets of tuples of words: no hash, no signature."""
    sets = {}
    for name, page in pages.items():
        words = form_words(page.text)
        sets[name] = {tuple(words[k : k + 5]) for k in range(len(words) - 4)}
    return {
        frozenset((one, other)): len(sets[one] & sets[other]) / len(sets[one] | sets[other])
        for one, other in combinations(pages, 2)
    }


def clusters(pages, bands, rows, seed=1):
    stage = minhash(name="near_duplicates", bands=bands, rows=rows, seed=seed)
    return grouped(pages, decide(stage, pages.values()).clusters.to_pylist())


def grouped(pages, rows):
    names = {page.doc_id: name for name, page in pages.items()}
    found: dict[int, set[str]] = {}
    for row in rows:
        found.setdefault(row["cluster_id"], set()).add(names[row["doc_id"]])
    return sorted(found.values(), key=sorted)


def test_there_are_eleven_pages_of_natural_length_with_ids_of_their_own(pages):
    assert (
        len(pages) == len({page.doc_id for page in pages.values()}) == len({page.text for page in pages.values()}) == 11
    )
    assert all(600 < page.chars < 2500 for page in pages.values())


def test_the_matrix_of_the_notebook_equals_brute_force(pages, jaccard):
    matrix = jaccard_matrix([page.text for page in pages.values()])
    for (i, one), (j, other) in combinations(enumerate(pages), 2):
        assert matrix[i, j] == matrix[j, i] == pytest.approx(jaccard[frozenset((one, other))])


def test_similarities_lie_clear_of_the_steep_part(jaccard):
    alike = {pair for group in (NEWS, KETTLES) for pair in map(frozenset, combinations(group, 2))}
    for pair, similarity in jaccard.items():
        at_fineweb = float(candidate_probability(similarity, *FINEWEB))
        if pair in alike:
            assert at_fineweb > 0.9999
        elif pair == RECIPES:
            assert at_fineweb < CHANCE
            assert all(candidate_probability(similarity, *setting) > SURE for setting in FEWER_ROWS)
        else:
            assert similarity < 0.05
            assert all(candidate_probability(similarity, *setting) < 0.02 for setting in (FINEWEB, *FEWER_ROWS))


def test_at_finewebs_settings_copies_are_caught_and_the_reposted_recipe_slips_through(pages):
    assert clusters(pages, *FINEWEB) == sorted([NEWS, KETTLES], key=sorted)
    removals = decide(minhash(name="near_duplicates", bands=14, rows=8), pages.values()).removals.to_pylist()
    names = {page.doc_id: name for name, page in pages.items()}
    kept = {names[row["doc_id"]]: names[row["kept_id"]] for row in removals}
    longest = max(NEWS, key=lambda name: pages[name].chars)
    assert {gone: stays for gone, stays in kept.items() if gone in NEWS} == dict.fromkeys(NEWS - {longest}, longest)
    assert len(kept) == 3


@pytest.mark.parametrize("setting", FEWER_ROWS)
def test_fewer_rows_per_band_catch_the_recipe_and_nothing_else(pages, setting):
    assert clusters(pages, *setting) == sorted([NEWS, KETTLES, RECIPES], key=sorted)


def test_other_draws_of_hash_functions_catch_as_often_as_the_curve_says(pages, jaccard):
    draws = 150
    for setting in (FINEWEB, (22, 5), (37, 3)):
        outcomes = [clusters(pages, *setting, seed=seed) for seed in range(draws)]
        chance = float(candidate_probability(jaccard[frozenset(RECIPES)], *setting))
        low, high = count_interval(draws, chance, confidence=0.999)
        assert low <= sum(RECIPES in found for found in outcomes) <= high
        assert all(NEWS in found and KETTLES in found for found in outcomes)


@pytest.mark.spark
def test_spark_decides_the_same(spark, pages):
    for bands, rows in (FINEWEB, FEWER_ROWS[0]):
        stage = minhash(name="near_duplicates", bands=bands, rows=rows)
        keys = pa.Table.from_batches([stage.keys(to_batch(pages.values()), "unit")])
        decided = stage.removals(spark.createDataFrame(keys)).clusters.collect()
        assert grouped(pages, decided) == clusters(pages, bands, rows)

"""`check` is content with a perfect run, and each way of going wrong turns the finding about it, and only that."""

from __future__ import annotations

import pytest
from simulated_run import SimulatedRun, perfect_run

from curation.errors import InputError
from curation.sample.check import Finding, check
from curation.sample.expectations import BAD, EXPECTED, accepted
from curation.sample.truth import Truth


def _findings(run: SimulatedRun, tmp_path) -> dict[str, Finding]:
    findings = check(run.write(tmp_path / "run"), run.truth.root / "truth.jsonl")
    assert len({finding.role for finding in findings}) == len(findings)
    return {finding.role: finding for finding in findings}


def test_a_perfect_run_has_no_finding_that_is_not_ok(crawl, tmp_path):
    findings = _findings(perfect_run(crawl), tmp_path)
    assert [finding for finding in findings.values() if not finding.ok] == []
    assert all(finding.found == finding.planted > 0 for finding in findings.values())
    assert findings["every page has one fate"].planted == 400
    assert findings["removals of planted copies"].planted == 44


def _lose_a_page(run: SimulatedRun) -> None:
    run.lost.add(run.truth.of("thin")[0].record_id)


def _drop_a_good_page(run: SimulatedRun) -> None:
    copied = {page.original for page in run.truth.pages}
    page = next(page for page in run.truth.of("good") if page.language == "zh" and page.record_id not in copied)
    run.fates[page.record_id] = "gopher_quality.word_count"


def _lose_paragraphs(run: SimulatedRun) -> None:
    for page in run.truth.of("good")[:60]:
        run.texts[page.record_id] = page.title


def _leak_the_banner(run: SimulatedRun) -> None:
    for page in run.truth.of("good"):
        run.texts[page.record_id] += f"\n{page.boilerplate[0]}"


def _keep_an_exact_copy(run: SimulatedRun) -> None:
    run.fates[run.truth.of("exact_copy")[0].record_id] = None


def _remove_a_whole_cluster(run: SimulatedRun) -> None:
    run.fates[run.truth.of("near_copy_85")[0].original] = "near_duplicates.duplicate"


def _keep_a_near_copy(run: SimulatedRun) -> None:
    run.fates[run.truth.of("near_copy_90")[0].record_id] = None


def _remove_far_copies(run: SimulatedRun) -> None:
    for page in run.truth.of("near_copy_below")[:4]:
        run.fates[page.record_id] = "near_duplicates.duplicate"


def _join_strangers(run: SimulatedRun) -> None:
    run.removals.append((run.truth.of("spam")[0].record_id, run.truth.of("pii")[0].record_id, 0.9))


def _drop_a_recrawl(run: SimulatedRun) -> None:
    run.fates[run.truth.of("recrawl_same")[0].record_id] = "exact_duplicates.duplicate"


def _leave_an_address(run: SimulatedRun) -> None:
    page = run.truth.of("pii")[0]
    run.texts[page.record_id] += f" {page.planted['ip'][0]}"


def _mask_a_version(run: SimulatedRun) -> None:
    page = run.truth.of("pii_look_alike")[0]
    run.texts[page.record_id] = run.texts[page.record_id].replace("2.31.4", "192.0.2.1")


def _misread_a_charset(run: SimulatedRun) -> None:
    page = run.truth.of("charset_mislabelled")[0]
    run.texts[page.record_id] = run.texts[page.record_id].encode().decode("latin-1")


def _keep_lorem_ipsum(run: SimulatedRun) -> None:
    run.fates[run.truth.of("lorem")[0].record_id] = None


def _hide_the_damage(run: SimulatedRun) -> None:
    run.lost.add(run.truth.of("damaged_record")[0].record_id)


@pytest.mark.parametrize(
    ("spoil", "turned"),
    [
        (_lose_a_page, {"every page has one fate", "thin"}),
        (_drop_a_good_page, {"good pages, zh"}),
        (_lose_paragraphs, {"paragraphs of the main text"}),
        (_leak_the_banner, {"boilerplate left out"}),
        (_keep_an_exact_copy, {"clusters of exact copies"}),
        (_keep_a_near_copy, {"pairs of near_copy_90, one kept"}),
        (_remove_far_copies, {"pairs of near_copy_below, both kept"}),
        (_join_strangers, {"removals of planted copies"}),
        (_drop_a_recrawl, {"recrawl_same, kept in its snapshot"}),
        (_leave_an_address, {"personal data masked, ip"}),
        (_mask_a_version, {"look-alikes left alone"}),
        (_misread_a_charset, {"charset_mislabelled, read in full"}),
        (_keep_lorem_ipsum, {"lorem"}),
        (_hide_the_damage, {"every page has one fate", "damaged_record"}),
    ],
    ids=lambda value: value.__name__.strip("_") if callable(value) else "",
)
def test_what_goes_wrong_shows_in_its_finding(crawl, tmp_path, spoil, turned):
    run = perfect_run(crawl)
    spoil(run)
    findings = _findings(run, tmp_path)
    assert turned <= {role for role, finding in findings.items() if not finding.ok}
    allowed = turned | {"paragraphs of the main text", "neighbours of damage read"}  # what else the damage may touch
    assert {role for role, finding in findings.items() if not finding.ok} <= allowed


def test_a_reader_that_gives_up_after_the_damage_shows_as_lost_neighbours(crawl, tmp_path):
    run = perfect_run(crawl)
    (damaged,) = crawl.of("damaged_record")
    after = [page for page in crawl.pages if page.warc_file == damaged.warc_file]
    run.lost |= {page.record_id for page in after if page.warc_offset > damaged.warc_offset}
    run.removals = [each for each in run.removals if not run.lost & {each[0], each[1]}]
    finding = _findings(run, tmp_path)["neighbours of damage read"]
    assert not finding.ok
    assert finding.planted - finding.found == len(run.lost)


def test_a_cluster_that_lost_all_members_shows_as_lost_good_page_and_pair(crawl, tmp_path):
    run = perfect_run(crawl)
    _remove_a_whole_cluster(run)
    failed = {role for role, finding in _findings(run, tmp_path).items() if not finding.ok}
    assert "pairs of near_copy_85, one kept" in failed
    assert any(role.startswith("good pages") for role in failed)


def test_an_original_may_lose_against_its_copy(crawl, tmp_path):
    run = perfect_run(crawl)
    copy = run.truth.of("near_copy_95")[0]
    run.fates[copy.record_id], run.fates[copy.original] = None, "near_duplicates.duplicate"
    assert all(finding.ok for finding in _findings(run, tmp_path).values())


def test_roles_of_the_crawl_are_those_of_the_table(crawl: Truth):
    assert {page.role for page in crawl.pages} == set(EXPECTED)
    assert all(not accepted(role, None) for role in BAD)


def test_a_folder_that_is_no_run_is_refused(crawl, tmp_path):
    with pytest.raises(InputError, match="holds no curated/"):
        check(tmp_path, crawl.root / "truth.jsonl")

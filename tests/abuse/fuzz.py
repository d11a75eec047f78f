"""Fuzzing of what takes bytes and text from strangers: the WARC reader, the recipe loader, the text cutter, the kernel.

    python tests/abuse/fuzz.py --seconds 3600        all targets in turn; one JSON object on the last line
    python tests/abuse/fuzz.py warc --round 17       one round again, such as one that failed

Inputs are good ones with damage: hypothesis draws the seed and the edits, and makes a failing input small. A round is
ROUND_CASES cases drawn from its number, so that a failure comes back by its number, on any machine.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
from datasketch import MinHash
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from curation import text as plain  # noqa: E402
from curation.charclass import codes_of  # noqa: E402
from curation.conf import conf_folder  # noqa: E402
from curation.cutting import cut_tokens, cut_words  # noqa: E402
from curation.dedup.form import form_words  # noqa: E402
from curation.dedup.kernel import exact_keys, shingle_hashes, signatures  # noqa: E402
from curation.document import to_batch  # noqa: E402
from curation.errors import CurationError  # noqa: E402
from curation.read.budgets import Budgets  # noqa: E402
from curation.read.pages import read_pages  # noqa: E402
from curation.read.report import STATES, SplitReport, merge_reports  # noqa: E402
from curation.read.splits import plan_splits  # noqa: E402
from curation.recipe.load import load_recipe  # noqa: E402
from tests.read.made_warcs import HTML, input_file, other, response  # noqa: E402

ROUND_CASES = 200
SECONDS_A_CASE = 20  # wall time: a case costs milliseconds, so this is a hang also on a crowded machine
BUDGETS = Budgets(max_record_bytes=1 << 16, seconds=10.0)


# ---- edits ----------------------------------------------------------------------------------------------------------


@st.composite
def edited(draw: st.DrawFn, seeds: list[bytes], fragments: list[bytes]) -> bytes:
    """A seed with up to six edits: bytes replaced, inserted, removed, doubled; cut off; two seeds spliced."""
    data = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, max(1, len(data))))
        size = draw(st.sampled_from([1, 2, 8, 64, 500]))
        kind = draw(st.sampled_from(["flip", "put", "insert", "remove", "double", "cut", "splice"]))
        if kind == "flip" and at < len(data):
            data = data[:at] + bytes([data[at] ^ 1 << draw(st.integers(0, 7))]) + data[at + 1 :]
        elif kind in ("put", "insert"):
            piece = draw(st.one_of(st.sampled_from(fragments), st.binary(max_size=40)))
            data = data[:at] + piece + data[at + (len(piece) if kind == "put" else 0) :]
        elif kind == "remove":
            data = data[:at] + data[at + size :]
        elif kind == "double":
            data = data[: at + size] + data[at:]
        elif kind == "cut":
            data = data[:at]
        elif kind == "splice":
            donor = draw(st.sampled_from(seeds))
            data = data[:at] + donor[draw(st.integers(0, max(1, len(donor)))) :]
    return data


# ---- the WARC reader ------------------------------------------------------------------------------------------------


@cache
def _warc_seeds() -> list[bytes]:
    def records(packed: bool) -> bytes:
        return b"".join([
            other("warcinfo", b"software: x\r\n", gzip=packed),
            *(response(HTML % (b"text %d " % i * (i * 9 + 1)), f"http://s{i}.example/", gzip=packed) for i in range(4)),
            other("request", gzip=packed),
            response(b"5\r\n<html\r\n0\r\n\r\n", "http://chunked.example/", gzip=packed,
                     headers=[("Transfer-Encoding", "chunked"), ("Content-Type", "text/html")]),
            other("conversion", "Grüße aus Köln".encode(), gzip=packed),
            other("metadata", b"a: b\r\n", gzip=packed),
        ])  # fmt: skip

    arc = (
        b"filedesc://x.arc 0.0.0.0 20080401000000 text/plain 76\n1 0 Example\n"
        b"URL IP-address Archive-date Content-type Archive-length\n\n\n"
    )
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><p>old page</p></html>"
    arc += b"".join(
        b"http://a%d.example/ 1.2.3.4 20080401000000 text/html %d\n%s\n" % (i, len(page), page) for i in range(3)
    )
    return [records(True), records(False), arc]


WARC_FRAGMENTS = [
    b"WARC/1.0\r\n", b"\r\n\r\n", b"\r\n" * 40, b"\n\n\nWARC/1.1\nWARC-Type: response\n", b"Content-Length: 0\r\n",
    b"Content-Length: 99999999999999999999\r\n", b"Content-Length: -1\r\n", b"Content-Length: 3\r\n", b"\x1f\x8b\x08",
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", b"\x00" * 600, b"WARC-Type: response\r\n", b"WARC-Target-URI: http://[\r\n",
    b"WARC-Target-URI: \xff\xfe\xed\xa0\x80\r\n", b"Content-Encoding: gzip, br, deflate, zstd\r\n", b"HTTP/1.1 200\r\n",
    b"Transfer-Encoding: chunked\r\n", b"ffffffff\r\n", b"charset=utf-7", b"charset=\xff", b"\xef\xbb\xbf", b"\xff\xfe",
    b"PAR1", b"\x28\xb5\x2f\xfd", b"%PDF-", b"<?xml", b"{", b"http://a.example/ 1.2.3.4 20080401000000 text/html 9\n",
]  # fmt: skip


def _read(folder: Path, data: bytes, name: str, split_size: int) -> tuple[list, dict]:
    pages, reports = [], []
    for split in plan_splits([input_file(folder, data, name)], split_size):
        report = SplitReport(split)
        pages += read_pages(split, report, budgets=BUDGETS)
        reports.append(report.to_dict())
    (merged,) = merge_reports(reports)
    return pages, merged


def warc_target(folder: Path) -> tuple[st.SearchStrategy, Callable]:
    names = st.sampled_from(["f.warc.gz", "f.warc", "f.arc.gz", "f.warc.wet.gz"])

    def check(data: bytes, name: str, split_size: int) -> None:
        pages, report = _read(folder, data, name, 1 << 30)
        alive = [page for page in pages if page.alive]
        assert report["pages"] == len(pages) == len(alive) + sum(report["fates"].values())
        assert report["state"] in STATES and report["state"] != "unfinished"
        assert to_batch(pages).num_rows == len(pages)
        assert all(len(page.html or page.text or "") <= 4 * BUDGETS.max_record_bytes for page in alive)
        in_ranges, _ = _read(folder, data, name, split_size)
        assert [_told(page) for page in in_ranges] == [_told(page) for page in pages]

    return st.tuples(edited(_warc_seeds(), WARC_FRAGMENTS), names, st.integers(200, 3000)), check


def _told(page) -> tuple:
    return page.doc_id, page.url, page.warc_offset, page.dropped_by, page.html, page.text


# ---- the recipe loader ----------------------------------------------------------------------------------------------

YAML_FRAGMENTS = [
    b"!!python/object/apply:os.system ['true']", b"!!python/name:os.system", b"!include /etc/passwd", b"&a [*a]", b"*a",
    b"<<: *a", b"? [1]\n: 2", b"[" * 300, b"{" * 300, b"!!binary x", b"!!set {a}", b"1e400", b".inf", b"-.nan", b"1_0",
    b"2024-99-99", b"0x", b"1:99:99", b"9" * 5000, b"no", b"~", b"\t", b"\x00", b"\xff", b"\xf0\x9f\x98\x80", b"---\n",
    b"...\n", b"%YAML 9.9\n", b"- [", b"{keep_if: rules/../../../../etc/passwd}", b"keep_if:", b"corpus: minhash",
    b"rewrite: c4.page", b"extract: trafilatura", b"min: ", b"max: -1", b"in: {}", b"tokens: 3\n", b"mixture: []\n",
    b": ",
]  # fmt: skip


def recipe_target(folder: Path) -> tuple[st.SearchStrategy, Callable]:
    seeds = [path.read_bytes() for path in sorted((conf_folder() / "recipes").glob("*.yaml"))]
    path = folder / "recipe.yaml"

    def check(data: bytes) -> None:
        path.write_bytes(data)
        try:
            recipe = load_recipe(str(path))
        except CurationError as error:
            assert str(error)
        else:
            json.dumps(recipe.resolved, allow_nan=False)
            assert recipe.stages

    return st.tuples(edited(seeds, YAML_FRAGMENTS)), check


# ---- texts ----------------------------------------------------------------------------------------------------------


@cache
def _texts() -> st.SearchStrategy:
    prose = Path(plain.__file__).parent / "sample" / "prose"
    seeds = [path.read_text(encoding="utf-8")[:3000] for path in sorted(prose.glob("*.txt"))]
    hostile = ["\u0301" * 50, "\u200d" * 9, "'" * 40, "." * 40, "\ufdfa" * 5, "\u1100\u1161\u11a8", "\ud800", "\x00",
               "\u2028", "a" * 3000, "\U000e0100", "\u0f71\u0f72\u0f74", "n't" * 30, "1-2" * 30, "\u0130",
               "\ufffe"]  # fmt: skip
    piece = st.one_of(
        st.builds(lambda text, at, size: text[at : at + size],
                  st.sampled_from(seeds), st.integers(0, 2900), st.integers(0, 200)),
        st.sampled_from(hostile), st.text(max_size=30),
    )  # fmt: skip
    return st.lists(piece, max_size=8).map("".join)


def cutter_target(folder: Path) -> tuple[st.SearchStrategy, Callable]:
    def check(text: str) -> None:
        codes = codes_of(text)
        for cut, expected in ((cut_words(codes), plain.words(text)), (cut_tokens(codes), plain.tokens(text))):
            pieces = [text[i:j] for i, j in zip(cut.starts.tolist(), cut.ends.tolist(), strict=True)]
            assert pieces == expected
            assert cut.chars == sum(map(len, pieces))
        visible = "".join(text.split())
        assert "".join("".join(plain.tokens(text)).split()) == visible  # tokens lose nothing but white space
        for cut in (plain.lines, plain.paragraphs, plain.sentences):
            assert len("".join("".join(cut(text)).split())) <= len(visible)

    return st.tuples(_texts()), check


def kernel_target(folder: Path) -> tuple[st.SearchStrategy, Callable]:
    def check(texts: list[str | None], ngram: int) -> None:
        texts = [None if text is None else plain.without_surrogates(text) for text in texts]
        column = pa.array(["before", *texts, "after"], pa.large_string())[1:-1]
        made = signatures(column, ngram=ngram, hashes=8)
        keys = exact_keys(column)
        for row, text in enumerate(texts):
            words = [] if text is None else form_words(text)
            count = max(0, len(words) - ngram + 1)
            assert made.shingles[row] == count
            oracle = MinHash(num_perm=8, seed=1, scheme="affine32", hashfunc=int)
            if count:
                oracle.update_batch(shingle_hashes(text, ngram))
            assert np.array_equal(made.values[row], oracle.hashvalues)
            assert keys[row].is_valid == bool(words)

    return st.tuples(st.lists(st.none() | _texts(), max_size=4), st.integers(1, 9)), check


TARGETS = {"warc": warc_target, "recipe": recipe_target, "cutter": cutter_target, "kernel": kernel_target}


# ---- rounds ---------------------------------------------------------------------------------------------------------


def run_round(target: str, number: int, *, folder: Path) -> dict[str, float]:
    """One round of a target; raises what the check raised, with the input made small in its notes."""
    strategy, check = TARGETS[target](folder)
    told = {"cases": 0, "slowest": 0.0}

    @seed(number)
    @settings(max_examples=ROUND_CASES, database=None, deadline=None, derandomize=False,
              suppress_health_check=list(HealthCheck), phases=(Phase.generate, Phase.shrink))  # fmt: skip
    @given(strategy)
    def cases(drawn: tuple) -> None:
        started = time.monotonic()
        check(*drawn)
        took = time.monotonic() - started
        told["cases"] += 1
        told["slowest"] = max(told["slowest"], took)
        assert took < SECONDS_A_CASE, f"{took:.1f} s: a hang"

    cases()
    return told


def fuzz(target: str, seconds: float, first: int = 0) -> dict[str, float]:
    """Rounds of a target for about so many seconds, at least one; what they came to."""
    started, number = time.monotonic(), first
    told: dict[str, float] = {"rounds": 0, "cases": 0, "slowest": 0.0}
    with tempfile.TemporaryDirectory() as folder:
        while True:
            try:
                one = run_round(target, number, folder=Path(folder))
            except BaseException as error:
                error.add_note(f"again: python tests/abuse/fuzz.py {target} --round {number}")
                raise
            told["rounds"] += 1
            told["cases"] += one["cases"]
            told["slowest"] = max(told["slowest"], one["slowest"])
            number += 1
            if time.monotonic() - started >= seconds:
                return told | {"seconds": round(time.monotonic() - started, 1), "next": number}


def main() -> None:
    parser = argparse.ArgumentParser(description="Fuzzes the parts that read what strangers wrote.")
    parser.add_argument("targets", nargs="*", choices=[*TARGETS, []], default=[])
    parser.add_argument("--seconds", type=float, default=60.0, help="wall time of all targets together")
    parser.add_argument("--round", type=int, help="only the round of this number")
    parser.add_argument("--first", type=int, default=1000, help="number of the first round; others draw other cases")
    given_ = parser.parse_args()
    targets = given_.targets or list(TARGETS)
    if given_.round is not None:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps({one: run_round(one, given_.round, folder=Path(folder)) for one in targets}))
        return
    sums = {one: {"rounds": 0, "cases": 0, "slowest": 0.0, "seconds": 0.0, "next": given_.first} for one in targets}
    started, slice_ = time.monotonic(), min(60.0, given_.seconds / len(targets))
    while time.monotonic() - started < given_.seconds:
        for one in targets:
            told, total = fuzz(one, slice_, int(sums[one]["next"])), sums[one]
            for key in ("rounds", "cases", "seconds"):
                total[key] += told[key]
            total["slowest"], total["next"] = max(total["slowest"], told["slowest"]), told["next"]
            print(f"{time.monotonic() - started:7.0f} s  {one:8} {int(total['cases'])} cases", flush=True)
    print(json.dumps(sums))


if __name__ == "__main__":
    main()

"""report.html: complete, honest about what is missing, and safe to open whatever the web wrote into it."""

from __future__ import annotations

import json
import re
import shutil
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import pytest

from curation.page import Page
from curation.report import write_report
from curation.report.charts import Part, Series, histogram, stacked_bar
from curation.report.numbers import short
from tests.report.fake_run import MANIFEST, write_fake_run

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(2)>'
TAGS_USED = {
    "html", "head", "meta", "title", "style", "body", "header", "main", "section", "footer", "nav", "article", "figure",
    "h1", "h2", "h3", "h4", "p", "a", "b", "i", "small", "span", "div", "br", "code", "pre", "bdi", "dl", "dt", "dd",
    "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "svg", "rect", "line", "path",
    "text",
}  # fmt: skip
VOID = {"meta", "br"}


class Document(HTMLParser):
    """Tags, attributes and text of a page, and whether its tags are nested properly."""

    def __init__(self, source: str):
        super().__init__()
        self.tags, self.attributes, self.pieces, self.open, self.crossed = set(), [], [], [], []
        self.feed(source)
        self.text = re.sub(r"\s+", " ", "".join(self.pieces))

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.crossed.append(tag)

    def handle_data(self, data):
        self.pieces.append(data)


def _read(run: Path) -> tuple[str, Document]:
    source = write_report(run).read_text(encoding="utf-8")
    return source, Document(source)


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    write_fake_run(folder, pages=1200)
    return folder


def _hostile(number: int, dropped_by: str | None = None) -> Page:
    page = Page(
        f"text {SCRIPT} {IMAGE} </div></details>", url=f"javascript:{IMAGE}{SCRIPT}", host=SCRIPT, doc_id=number
    )
    page.language, page.warc_file = IMAGE, SCRIPT
    if dropped_by:
        page.drop("english", dropped_by, IMAGE, error=SCRIPT)
    page.trail = [90] * (4 if dropped_by else 9)
    return page


def test_everything_from_the_web_is_escaped(tmp_path):
    extra = [_hostile(3 * number, "language" if number % 2 else None) for number in range(1, 60)]
    write_fake_run(tmp_path, pages=0, extra=extra)
    manifest = {**MANIFEST, "resolved": {"name": SCRIPT}, "files": [{"name": IMAGE, "state": SCRIPT}]}
    manifest["inputs"] = [{"source": SCRIPT, "snapshot": IMAGE, "kind": "warc", "size": 1}]
    manifest["seconds"], manifest["models"] = {SCRIPT: 1.0}, {IMAGE: SCRIPT}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    for name in ("mixture", "tokens/summary", "tokens/tokenizer_report"):
        told = (tmp_path / f"{name}.json").read_text()
        for ours in ("main", "web", "wiki", "stories", "best_fit", "llama/", "sample not", "de"):
            told = told.replace(f'"{ours}', json.dumps(IMAGE + SCRIPT)[:-1] + ours)
        (tmp_path / f"{name}.json").write_text(told)
    source, document = _read(tmp_path)
    assert document.tags <= TAGS_USED
    assert not document.crossed and not document.open
    assert not [a for a in document.attributes if a[1].startswith("on")]
    assert SCRIPT not in source and "<img" not in source
    assert document.text.count(SCRIPT) > 20 and document.text.count(IMAGE) > 20  # shown, as text


@pytest.mark.parametrize("pages", [0, 1200], ids=["empty", "full"])
def test_the_page_loads_nothing_and_links_only_into_itself(tmp_path, pages):
    write_fake_run(tmp_path, pages=pages)
    source, document = _read(tmp_path)
    loading = [a for a in document.attributes if a[1] in ("src", "srcset", "href", "xlink:href", "action", "data")]
    assert loading and all(value.startswith("#") for _, _, value in loading)
    targets = {value for _, name, value in document.attributes if name == "id"}
    assert {value[1:] for _, _, value in loading} <= targets
    style = source[source.index("<style>") : source.index("</style>")]
    assert "url(" not in style and "@import" not in style
    assert "default-src 'none'" in source


def test_the_figures_of_the_funnel_are_on_the_page_short_and_exact(run):
    funnel = json.loads((run / "funnel.json").read_text())
    _, document = _read(run)
    titles = {value for _, name, value in document.attributes if name == "title"}
    for stage in funnel["stages"]:
        assert f"{stage['chars_out']:,} characters out" in titles
        assert short(stage["chars_out"]) in document.text
        for reason in stage["reasons"]:
            assert f"{reason['pages']:,} pages" in titles
            assert reason["reason"].partition(".")[2] in document.text
    assert "3c9e51d07ab2" in document.text
    assert f"{284_402 + 291:,} tokens" in titles
    assert "truncated" in document.text and "CC-MAIN-2024-18/00007.warc.gz" in document.text
    assert "counts depend on the order of the stages" in document.text.lower()


def test_reports_of_the_same_run_are_the_same_bytes(run):
    assert write_report(run).read_bytes() == write_report(run).read_bytes()
    assert not list(run.glob(".report*"))


@pytest.mark.parametrize(
    ("absent", "said"),
    [
        ("manifest.json", "No manifest.json in the run folder"),
        ("mixture.json", "No mixture.json"),
        ("tokens", "No tokens/summary.json"),
        ("curated", "No files in curated/"),
        ("documents", "No files of dropped pages"),
        ("removals", "No removals in the run folder"),
    ],
)
def test_an_absent_file_is_named_in_a_sentence(run, tmp_path, absent, said):
    copy = tmp_path / "copy"
    shutil.copytree(run, copy)
    _, before = _read(copy)
    assert said not in before.text
    path = copy / absent
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    _, document = _read(copy)
    assert said in document.text


def test_a_funnel_alone_is_enough_for_a_report(tmp_path):
    (tmp_path / "funnel.json").write_text('{"stages": []}')
    _, document = _read(tmp_path)
    assert "The funnel has no stages." in document.text
    assert "No page was read" in document.text
    assert "did not check its books" in document.text


def test_an_empty_run_says_so(tmp_path):
    write_fake_run(tmp_path, pages=0)
    _, document = _read(tmp_path)
    assert "No page was read" in document.text
    assert "No kept page to show." in document.text
    assert "no page left" in document.text


def test_books_that_do_not_balance_raise_an_alarm(run, tmp_path):
    funnel = json.loads((run / "funnel.json").read_text())
    (tmp_path / "funnel.json").write_text(json.dumps({**funnel, "balanced": False, "repeated_ids": 4}))
    _, document = _read(tmp_path)
    assert ("p", "role", "alert") in document.attributes
    assert "4 document ids occur more than once" in document.text


def test_lone_surrogates_do_not_stop_the_report(run, tmp_path):
    funnel = json.loads((run / "funnel.json").read_text())
    (tmp_path / "funnel.json").write_text(json.dumps({**funnel, "recipe": "a\ud800b"}))
    _, document = _read(tmp_path)
    assert "a?b" in document.text


def test_parts_of_a_bar_are_proportional_and_stay_inside():
    bar = stacked_bar([Part("a", 30, "kept"), Part("b", 60, "dropped"), Part("c", 1e-9, "failed")], 120, IMAGE)
    rects = ElementTree.fromstring(bar).findall("rect")
    assert [float(r.get("width")) for r in rects] == [25, 50, 0.5]
    assert [float(r.get("x")) for r in rects] == [0, 25, 75]
    assert "<img" not in bar


@pytest.mark.parametrize("value", [-5, 0], ids=["text-added", "nothing"])
def test_a_bar_of_nothing_is_an_empty_track(value):
    assert not ElementTree.fromstring(stacked_bar([Part("a", value, "kept")], 0, "t")).findall("rect")


def test_histogram_bars_have_heights_in_proportion_and_tell_their_numbers():
    series = Series("pages", [0, 2, 4], ["none", "two", f"four {SCRIPT}"], "kept")
    chart = histogram([series, Series("other", [1, 1, 1], [""] * 3, "dropped")], [(0, "0")], SCRIPT, "x in m", "y in %")
    svg = ElementTree.fromstring(chart)
    two, four = svg.findall("rect")
    assert svg.find("title").text == SCRIPT
    assert float(four.get("height")) == pytest.approx(2 * float(two.get("height")), abs=0.2)
    assert four.find("title").text == f"four {SCRIPT}"
    assert {"x in m", "y in %", "0"} <= {text.text for text in svg.findall("text")}
    assert len(svg.findall("path")) == 1

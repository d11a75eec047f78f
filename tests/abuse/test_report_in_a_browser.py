"""What the web wrote does nothing in report.html: a real browser opens it, and a server listens for any of it.

Each page is loaded as it is, and again with its policy taken out and every element clicked, focused and pointed at: so
escaping holds alone, and the policy is a second line. Unescaped, the same texts run: the test can fail.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.page import Page
from curation.quality.report import render as render_quality
from curation.quality.train import judge
from curation.report import write_report
from tests.abuse.browser import dom_after_loading, find_browser, listening
from tests.report.fake_run import write_fake_run

pytestmark = pytest.mark.abuse

POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
POKE = """<script>
for (const box of document.querySelectorAll("details")) box.open = true;
for (const one of document.querySelectorAll("*")) {
  for (const kind of ["click", "mouseover", "mouseenter", "focus", "error", "load", "toggle", "animationstart"])
    one.dispatchEvent(new Event(kind, {bubbles: true, cancelable: true}));
}
document.documentElement.setAttribute("data-poked", "yes");
</script>"""


NAMES_OF_OTHERS = (  # whose keys are names of sources, languages, tokenizers, files or packages
    "by_snapshot", "sources", "compression", "compression_by_source", "versions", "models", "seconds", "tokens",
    "documents", "rows", "shards", "cut", "cut_fitting", "padding_share", "truncation_share", "sample", "language",
    "source", "resolved",
)  # fmt: skip


def payloads(server: str) -> list[str]:
    mark = f"fetch('{server}/ran');document.title='ran';document.documentElement.setAttribute('data-ran','yes')"
    coded = "".join(f"&#{ord(letter)};" for letter in mark)
    return [
        f"<script>{mark}</script>",
        f"</script><script>{mark}</script>",
        f"</style></title></textarea></svg><script>{mark}</script>",
        f"<img src={server}/image onerror=\"{mark}\">",
        f"\"><svg/onload=\"{mark}\">",
        f"' onmouseover=\"{mark}\" onfocus=\"{mark}\" autofocus tabindex=1 x='",
        f'" onmouseover="{mark}" onclick="{mark}" autofocus x="',
        f"<details open ontoggle=\"{mark}\"><iframe srcdoc=\"<script>{mark}</script>\"></iframe>",
        f"<a href=\"javascript:{mark}\" id=funnel>x</a><base href={server}/base/>",
        f"<link rel=stylesheet href={server}/css><object data={server}/object></object><embed src={server}/embed>",
        f"<meta http-equiv=refresh content='0;url={server}/refresh'><style>@import '{server}/import';</style>",
        f"javascript:{mark}",
        f"&lt;script&gt;{mark}&lt;/script&gt; <img src=x onerror=\"{coded}\">",
        f"<svg><animate onbegin=\"{mark}\" attributeName=x dur=1s></svg><math><mtext><img src=x onerror=\"{mark}\">",
        f"{{{{ 7*7 }}}}{{% raw %}}<script>{mark}</script>{{% endraw %}}{{{{ ''.__class__ }}}}",
        f"--><script>{mark}</script><!--",
        f"<p style=\"background:url({server}/style);animation:x\" onanimationstart=\"{mark}\">",
        f"\u2028<scr\x00ipt>{mark}</scr\x00ipt>\ufeff<script\x0c>{mark}</script>",
    ]  # fmt: skip


def poisoned(content, texts: list[str], keep: tuple[str, ...]):
    """The content with a hostile text behind every string, in keys too; strings in `keep` are words with a meaning."""
    count = 0

    def taken() -> str:
        nonlocal count
        count += 1
        return texts[count % len(texts)]

    def walk(value, key: str = ""):
        if isinstance(value, dict):
            free = key in NAMES_OF_OTHERS
            return {k + texts[crc32(k.encode()) % len(texts)] if free else k: walk(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [walk(one, key) for one in value]
        return value + taken() if isinstance(value, str) and key not in keep else value

    return walk(content)


def hostile_run(run: Path, texts: list[str]) -> None:
    """A run folder in which everything that comes from outside is hostile: pages, names, stages, files, benchmarks."""
    extra = []
    for number, text in enumerate(texts * 4):
        page = Page(f"text {text}", url=f"{text}{number}", host=text, doc_id=3 * number, source=text, record_id=text)
        page.language, page.warc_file, page.snapshot = text, text, "CC-MAIN-2024-10"
        if number % 2:
            page.drop("english", "language", text, error=text)
        page.trail = [90] * (4 if number % 2 else 9)
        extra.append(page)
    write_fake_run(run, pages=150, extra=extra)
    for name in ("funnel", "manifest", "mixture", "tokens/summary", "tokens/tokenizer_report"):
        path = run / f"{name}.json"
        content = json.loads(path.read_text())
        path.write_text(json.dumps(poisoned(content, texts, ("started", "finished", "kind"))))
    items = run / "evidence" / texts[0].replace("/", "_")[:80] / "items.parquet"
    items.parent.mkdir(parents=True)
    rows = [{"benchmark": text, "state": "found", "ratio": 0.9} for text in texts]
    pq.write_table(pa.Table.from_pylist(rows), items)


def hostile_quality_report(texts: list[str]) -> str:
    draw = np.random.default_rng(3)
    words = [{"word": text, "pages": 3, "effect": 0.5} for text in texts]
    sides = {"texts": 40, "good": 20, "others": 20, "hosts": 8}
    report = {
        "settings": {"kind": texts[0], texts[1]: texts[2]}, "model": {"file": texts[3], "sha256": texts[4]},
        "rated": False, "left_out": dict.fromkeys(texts, 1), "trained_on": sides, "held_out": sides,
        "stage": texts[5], "words": {"for": words, "against": words},
        **judge(draw.random(40), np.arange(40) % 2, 0.5, 0.5, False),
    }  # fmt: skip
    return render_quality(report)


def unescaped(page: str, texts: list[str]) -> str:
    return page.replace("</body>", "".join(f"<div>{text}</div>" for text in texts) + "</body>")


@pytest.fixture(scope="module", autouse=True)
def browser() -> str:
    return find_browser()


@pytest.mark.parametrize("kind", ["run", "quality"])
def test_nothing_from_the_web_runs_or_loads_in_a_report(tmp_path, kind):
    with listening() as (server, asked):
        texts = payloads(server)
        if kind == "run":
            hostile_run(tmp_path, texts)
            source = write_report(tmp_path).read_text(encoding="utf-8")
        else:
            source = hostile_quality_report(texts)
        assert POLICY.search(source)
        assert source.count("data-ran") > len(texts)  # they are there, as text
        bare = POLICY.sub("", source).replace("</body>", f"{POKE}</body>")
        for name, page in (("as it is", source), ("without policy, poked", bare)):
            path = tmp_path / "page.html"
            path.write_text(page, encoding="utf-8", errors="replace")
            dom = dom_after_loading(path, tmp_path / "profile")
            root = dom[dom.index("<html") : dom.index(">", dom.index("<html"))]
            assert "data-ran" not in root, name
            assert "<title>ran" not in dom, name
            assert ("data-poked" in root) == (page is bare), name  # our own script ran, so theirs could have
            assert dom.count("<script") == (page is bare), name
            for tag in ("<img", "<iframe", "<base", "<link", "<animate", "<math"):
                assert tag not in dom, name
        assert not asked


def test_the_same_texts_unescaped_run_and_the_policy_alone_stops_them(tmp_path):
    """The control: without escaping the browser runs and loads them; with the page's policy it does neither."""
    with listening() as (server, asked):
        texts = payloads(server)
        source = hostile_quality_report(["harmless"] * len(texts))
        path = tmp_path / "page.html"
        path.write_text(unescaped(source, texts[:8]), encoding="utf-8")
        dom = dom_after_loading(path, tmp_path / "profile")
        assert "data-ran" not in dom[: dom.index("<head")]
        assert not asked
        path.write_text(unescaped(POLICY.sub("", source), texts[:8]), encoding="utf-8")
        dom = dom_after_loading(path, tmp_path / "profile")
        assert 'data-ran="yes"' in dom[: dom.index("<head")]
        assert {"/ran", "/image"} <= set(asked)

"""The report shows no personal data, whatever the recipe masked: not in texts, addresses of pages, names of hosts."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from curation.document import to_batch
from curation.page import Page
from curation.report.duplicates import _urls
from curation.report.pages import kept_pages
from curation.report.sections import host_rows

MAIL = "jo.doe@site.org"


def write(path, pages):
    pq.write_table(pa.Table.from_batches([to_batch(pages)]), path)
    return [path]


def test_samples_and_hosts_are_masked(tmp_path):
    page = Page(
        f"Write to {MAIL} or call 030 901820.", url=f"http://81.2.69.142/?to={MAIL}", host="81.2.69.142", doc_id=1
    )
    page.language = "de"
    group = kept_pages(write(tmp_path / "a.parquet", [page]))
    (sample,) = group.samples["kept"]
    assert sample.text == "Write to email@example.com or call <PHONE>."
    assert (sample.url, sample.host) == ("http://192.0.2.1/?to=email@example.com", "192.0.2.1")
    assert [row["name"] for row in host_rows(group)] == ["192.0.2.1"]


def test_addresses_of_copies_are_masked(tmp_path):
    files = write(tmp_path / "a.parquet", [Page(url=f"http://a.example/?to={MAIL}", doc_id=5)])
    assert _urls(files, {5}) == {5: "http://a.example/?to=email@example.com"}

"""Single records of a crawl by its columnar index: which captures a host has, which pages are in a language.

The index is Parquet, sorted by address (SURT: the host backwards), about 300 files a crawl. Row groups whose statistics
rule a match out are not fetched, and of the others only the columns that are asked for.
Source: https://commoncrawl.org/blog/index-to-warc-files-and-urls-in-columnar-format; `content_languages` (up to three
ISO 639-3 codes, the main one first) exists since CC-MAIN-2018-39.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.errors import InputError
from curation.read.tape import parquet_source
from curation.snapshot.catalog import file_names
from curation.stores.files import join

TABLE = "cc-index-table"
PLACE = ("warc_filename", "warc_record_offset", "warc_record_length")
COLUMNS = ("url", "url_host_name", "content_languages", *PLACE)
_LAST = "\U0010ffff"


def index_files(root: str, crawl: str) -> list[str]:
    """Names of the index files about pages (subset=warc); those about redirects and robots.txt are left out."""
    return [name for name in file_names(root, crawl, TABLE) if "/subset=warc/" in name]


def look_up(
    root: str,
    names: Sequence[str],
    *,
    host: str | None = None,
    language: str | None = None,
    limit: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> pa.Table:
    """Records (COLUMNS, as far as the index has them) of a host, in a main language, or both; sorted by place.

    `host`: this name exactly. `language`: ISO 639-3, such as deu. Reading stops after the file that fills `limit`.
    Raises InputError for an index without the columns that are needed.
    """
    found: list[pa.Table] = []
    for number, name in enumerate(names):
        progress(number, len(names))
        found.append(_look_into(join(root, name), host, language))
        if limit is not None and sum(table.num_rows for table in found) >= limit:
            break
    progress(len(names), len(names))
    if not found:
        raise InputError("no index file to look into")
    table = pa.concat_tables(found, promote_options="default")
    return table.sort_by([(name, "ascending") for name in PLACE[:2]]).slice(0, limit)


def _look_into(place: str, host: str | None, language: str | None) -> pa.Table:
    with pq.ParquetFile(parquet_source(place)) as file:
        columns = file.schema_arrow.names
    needed = [*PLACE, *(["url_host_name"] if host else []), *(["content_languages"] if language else [])]
    lacking = [name for name in needed if name not in columns]
    if lacking:
        hint = "; languages are there since CC-MAIN-2018-39" if "content_languages" in lacking else ""
        raise InputError(f"{place} has no column {', '.join(lacking)}{hint}")
    wanted = [name for name in COLUMNS if name in columns]
    return pq.read_table(
        parquet_source(place),
        columns=wanted,
        filters=_condition(host, language, by_surt="url_surtkey" in columns),
        use_threads=False,  # one reader, one request at a time
        pre_buffer=False,
        partitioning=None,
    )


def _condition(host: str | None, language: str | None, *, by_surt: bool) -> pc.Expression:
    conditions = []
    if host:
        conditions.append(pc.field("url_host_name") == host.lower())
        if by_surt:  # what the table is sorted by, so most row groups can be passed over
            key = surt_host(host)
            conditions += [pc.field("url_surtkey") >= key, pc.field("url_surtkey") < key + _LAST]
    if language:
        conditions.append(pc.starts_with(pc.field("content_languages"), language))
        conditions += [pc.field("content_languages") >= language, pc.field("content_languages") < language + _LAST]
    if not conditions:
        raise InputError("nothing to look for: give a host or a language")
    condition = conditions[0]
    for further in conditions[1:]:
        condition &= further
    return condition


def surt_host(host: str) -> str:
    """How keys of the host begin in the index: backwards, without www.

    >>> surt_host("WWW.news.Example.com")
    'com,example,news'
    """
    return ",".join(reversed(re.sub(r"^www\d*\.", "", host.lower()).split(".")))

"""What one record may cost before it becomes a fate instead of a page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Budgets:
    """Limits for one record. Over the first: fate `read.too_large`; over the second: `read.timeout`.

    `max_record_bytes`: the record's block as stored (after gzip of the WARC), and again its body after chunked, gzip,
    brotli and the like are undone. Common Crawl cuts bodies at 1 MiB (5 MiB since 2025), so 64 MiB only meets the odd.
    `seconds`: wall time to inflate one record; 64 MiB take about a quarter of a second.
    """

    max_record_bytes: int = 64 << 20
    seconds: float = 30.0

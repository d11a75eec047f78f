"""What a page reserves for itself: directives to robots, and rights in text and data mining.

Both may stand in the HTTP header or in a meta tag. What is found goes to `page.notes`, and `rules/opt_out.py` measures
it: reading decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape

_HEAD_CHARS = 1 << 18  # scripts and styles can stand before the tags; seen up to 100,000 characters
_NAME = r"\bname\s{0,4}=\s{0,4}[\"']?\s{0,4}(robots|ccbot|tdm-reservation)\b"
_TAG = re.compile(rf"<meta\b[^>]{{0,1024}}?{_NAME}[^>]{{0,2048}}>", re.I)
_CONTENT = re.compile(r"\bcontent\s{0,4}=\s{0,4}(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.I)
_COMMENT = re.compile(r"<!--.{0,65536}?-->", re.DOTALL)
# Directives with a value; any other word before a colon names the robot that the rest of the header is for.
_VALUED = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")
_ROBOTS = ("*", "robots", "ccbot")  # everybody, and the crawler of Common Crawl


def reservations(headers: Mapping[str, str], html: str) -> dict[str, str]:
    """Notes of a page: `robots`, its directives that begin with "no", in order of name; `tdm_reservation`, "1".

    `headers`: names in lower case; several X-Robots-Tag headers joined by newline. A key is absent where a page
    reserves nothing.

    Source: robots meta tag and X-Robots-Tag, https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag;
        noai, as DeviantArt introduced it in 2022; noml, https://noml.info;
        TDM Reservation Protocol, https://www.w3.org/community/reports/tdmrep/CG-FINAL-tdmrep-20240510/
    Reading: a directive for one named robot counts only where that robot is Common Crawl's.

    >>> reservations({"x-robots-tag": "otherbot: noindex\\nnoai"}, "<meta name=tdm-reservation content=1>")
    {'robots': 'noai', 'tdm_reservation': '1'}
    """
    directives = {d for line in headers.get("x-robots-tag", "").split("\n") for d in _of_header(line)}
    tdm = headers.get("tdm-reservation", "").strip() == "1"
    for name, content in _tags(html):
        if name == "tdm-reservation":
            tdm = tdm or content.strip() == "1"
        else:
            directives |= {word.strip() for word in content.lower().split(",")}
    kept = sorted(word for word in directives if re.fullmatch(r"no[a-z]{1,30}", word))
    return ({"robots": " ".join(kept)} if kept else {}) | ({"tdm_reservation": "1"} if tdm else {})


def _of_header(line: str) -> Iterator[str]:
    robot = "*"
    for part in line.lower().split(","):
        before, colon, after = part.partition(":")
        if colon and before.strip() not in _VALUED:
            robot, part = before.strip(), after
        if robot in _ROBOTS:
            yield part.strip()


def _tags(html: str) -> Iterator[tuple[str, str]]:
    head = html[:_HEAD_CHARS]
    if _TAG.search(head) is None:
        return
    for tag in _TAG.finditer(_COMMENT.sub("", head)):
        content = _CONTENT.search(tag.group())
        if content:
            yield tag.group(1).lower(), unescape(next(value for value in content.groups() if value is not None))

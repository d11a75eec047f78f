"""Eleven made-up pages on which the settings of MinHash can be tried: copies, near copies, and what only looks like it.

True Jaccard similarity of word 5-grams: story and mirror 0.99, story and syndicated copy 0.92, the two kettles of one
shop 0.95, the recipe and its re-post (another first sentence) 0.53; every other pair is at most 0.03. At FineWeb's 14
bands of 8 rows the first three become candidates with a probability of 0.9999 and more, the recipes with 0.08; at the
37 bands of 3 rows that the same signatures allow, the recipes with 0.997 and any other pair with 0.001.
"""

from __future__ import annotations

from importlib import resources

from curation.document import document_id
from curation.page import Page

# Name of a page -> its address. Hosts end in .example, a name no one can own (RFC 2606).
ADDRESSES = {
    "news_story": "https://marrowpost.example/2024/06/sea-pool-reopens",
    "news_mirror": "https://newsarchive.example/marrowpost/sea-pool-reopens",
    "news_syndicated": "https://inlandtimes.example/coast/volunteers-rebuild-pool",
    "news_other_paper": "https://bayobserver.example/hundreds-plunge-in",
    "shop_kettle_blue": "https://kettleandcloth.example/kettle-harbour-blue",
    "shop_kettle_green": "https://kettleandcloth.example/kettle-moss-green",
    "shop_other_store": "https://brewsteel.example/stovetop-kettle",
    "recipe_original": "https://auntskitchen.example/pear-hazelnut-loaf",
    "recipe_reposted": "https://weekdaycakes.example/pear-and-hazelnut-loaf",
    "recipe_other_cook": "https://browncrumb.example/pear-loaf",
    "forum_thread": "https://swimforum.example/t/marrow-point",
}


def eleven_pages() -> dict[str, Page]:
    """The pages by name, in a fixed order; all of one snapshot. `doc_id` depends on the name only."""
    folder = resources.files("curation.sample").joinpath("eleven")
    return {
        name: Page(
            folder.joinpath(f"{name}.txt").read_text("utf-8"),
            url=url,
            host=url.split("/")[2],
            date="2024-06-15T12:00:00Z",
            source="made",
            snapshot="ELEVEN",
            doc_id=document_id("made", "ELEVEN", f"{name}.txt", 0, ""),
        )
        for name, url in ADDRESSES.items()
    }

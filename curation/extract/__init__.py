"""Main-text extraction: HTML in, plain text out. An engine is a pure function of the page, whatever came before it."""

from curation.extract.engines import resiliparse, trafilatura

__all__ = ["resiliparse", "trafilatura"]

"""Parts of a published crawl: which crawls there are, a sample of their files, single records by the columnar index."""

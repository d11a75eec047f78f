"""From files to pages: WARC, ARC, WET, JSONL, Parquet; damage costs the damaged record, is reported, never raised."""

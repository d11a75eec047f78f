"""From files to pages: WARC, ARC, WET, JSONL and Parquet; damage costs the damaged record and is reported, never raised."""

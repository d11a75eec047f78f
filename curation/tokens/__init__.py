"""From curated text to token shards: train or import a tokenizer, freeze it, encode, pack, write, read back."""

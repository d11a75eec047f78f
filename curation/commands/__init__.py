"""The commands of `curate`, one module each. Each is a few lines over the library; `curation.cli` lists them."""

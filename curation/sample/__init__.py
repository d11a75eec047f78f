"""Sample crawls with a known answer: two small snapshots of made-up pages, and the truth about every page in them."""

"""A whole run with two sources: the mixture's shares weight the sample that its tokenizer is trained on."""

import json

import pytest

from curation.recipe.load import load_recipe
from curation.recipe.run_files import Cluster, Source
from curation.run.folder import read_json
from curation.run.run import run_recipe
from tests.tokens.conftest import make_texts

RECIPE = """\
name: shares
version: 1
source: test
stages:
  - kept: {keep_if: [{gopher_quality.word_count: {min: 1}}]}
tokens: {tokenizer: {train: {vocab_size: 400}}, sequence_length: 128, validation: 0}
mixture: {max_epochs: 3, sources: {web: 0.6, wiki: 0.4}}
"""


@pytest.mark.spark
def test_shares_and_epochs_of_the_mixture_reach_the_sample(spark, tmp_path):
    (tmp_path / "shares.yaml").write_text(RECIPE)
    for source, count in (("web", 160), ("wiki", 40)):
        texts = make_texts(count, seed=count)
        (tmp_path / f"{source}.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    result = run_recipe(
        lambda: spark,
        load_recipe(str(tmp_path / "shares.yaml")),
        [Source(source=name, where=str(tmp_path / f"{name}.jsonl")) for name in ("web", "wiki")],
        tmp_path / "run",
        cluster=Cluster(),
        cores=2,
    )
    report = read_json(result.folder.tokens / "tokenizer_report.json")
    assert report["sample"]["wiki"]["share"] == pytest.approx(0.4, abs=0.005)
    assert 1.5 < report["sample"]["wiki"]["times"] < 3
    summary = read_json(result.folder.tokens / "summary.json")
    assert set(summary["compression_by_source"]) == {"web", "wiki"}

"""Transformers from a local folder: a tiny classifier and a tiny encoder, made here. Skipped without the extra `hf`."""

from __future__ import annotations

import json

import numpy as np
import pytest

from curation.errors import ModelError
from curation.page import Page
from curation.quality.examples import Example
from curation.quality.learners import LinearHead
from curation.score import transformer

torch = pytest.importorskip("torch", reason="needs the extra hf: pip install 'curation[hf]'")
transformers = pytest.importorskip("transformers", reason="needs the extra hf: pip install 'curation[hf]'")

WORDS = ["river", "bees", "cheap", "buy", "the", "a", "and", "pills"]
PAGES = [Page("the river and the bees"), Page("buy cheap pills " * 40), Page("")]


def tiny(folder, kind: str, **settings):
    """Saves a one-layer BERT of the given kind with random weights, and a tokenizer that knows eight words."""
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]))
    config = transformers.BertConfig(
        vocab_size=13, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, **settings
    )
    torch.manual_seed(3)
    network = getattr(transformers, kind)(config).eval()
    network.save_pretrained(folder)
    tokenizer = transformers.BertTokenizerFast(vocab=str(folder / "vocab.txt"), model_max_length=64)
    tokenizer.save_pretrained(folder)
    return network, tokenizer


def test_single_output_is_the_score_and_can_be_rounded(tmp_path):
    network, tokenizer = tiny(tmp_path / "m", "BertForSequenceClassification", num_labels=1)
    with torch.no_grad():
        network.classifier.bias.fill_(3.4)
    network.save_pretrained(tmp_path / "m")
    with torch.inference_mode():
        expected = network(**tokenizer(PAGES[0].text, return_tensors="pt")).logits.item()
    scores = [value for (value,) in transformer.huggingface(PAGES, model=str(tmp_path / "m"))]
    assert scores[0] == pytest.approx(expected, abs=1e-6)
    assert scores[2] == 0.0
    rounded = transformer.huggingface(PAGES, model=str(tmp_path / "m"), rounded=True)
    assert [value for (value,) in rounded] == [round(score) for score in scores]


def test_score_does_not_depend_on_the_pages_beside_it(tmp_path):
    tiny(tmp_path / "m", "BertForSequenceClassification", num_labels=1)
    together = transformer.huggingface(PAGES, model=str(tmp_path / "m"))
    assert together == [transformer.huggingface([page], model=str(tmp_path / "m"))[0] for page in PAGES]
    batched = transformer.huggingface(PAGES, model=str(tmp_path / "m"), batch=8)
    assert np.allclose(np.array(together), np.array(batched), atol=1e-5)


def test_label_of_a_classifier_must_be_named(tmp_path):
    tiny(tmp_path / "m", "BertForSequenceClassification", num_labels=2, id2label={0: "bad", 1: "good"})
    model = str(tmp_path / "m")
    good, bad = (transformer.huggingface(PAGES[:1], model=model, label=label)[0][0] for label in ("good", "bad"))
    assert good + bad == pytest.approx(1)
    with pytest.raises(ModelError, match="set label to one of bad, good"):
        transformer.huggingface(PAGES, model=model)
    with pytest.raises(ModelError, match="did you mean 'good'"):
        transformer.huggingface(PAGES, model=model, label="goof")


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_embeddings_are_those_of_the_encoder(tmp_path, pooling):
    network, tokenizer = tiny(tmp_path / "m", "BertModel")
    with torch.inference_mode():
        states = network(**tokenizer(PAGES[0].text, return_tensors="pt")).last_hidden_state[0].numpy()
    pooled = states[0] if pooling == "cls" else states.mean(axis=0)
    found = transformer.embed([PAGES[0].text], str(tmp_path / "m"), pooling, 64)
    assert np.allclose(found[0], pooled / np.linalg.norm(pooled), atol=1e-6)


def test_head_learns_what_it_is_shown_and_belongs_to_its_encoder(tmp_path):
    tiny(tmp_path / "m", "BertModel")
    texts = {f"the river and {'bees ' * n}": 4.0 for n in range(1, 9)} | {
        f"buy {'cheap ' * n}": 1.0 for n in range(1, 9)
    }
    learner, head = LinearHead(str(tmp_path / "m"), pooling="mean"), tmp_path / "head.json"
    learner.fit([Example(text, "", rating) for text, rating in texts.items()], True, head)
    good, bad = learner.score(["the river and bees and bees", "buy cheap cheap cheap cheap"], head)
    assert good > 3 > 2 > bad
    scores = transformer.linear([Page("the river and bees and bees")], model=str(tmp_path / "m"), head=str(head))
    assert scores[0][0] == good
    tiny(tmp_path / "other", "BertModel", num_labels=3)
    with pytest.raises(ModelError, match="was trained on a model with sha256"):
        transformer.linear(PAGES, model=str(tmp_path / "other"), head=str(head))
    head.write_text(json.dumps({"weights": [1]}))
    with pytest.raises(ModelError, match="is no head of"):
        transformer.linear(PAGES, model=str(tmp_path / "m"), head=str(head))


def test_folder_without_weights_is_refused(tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="is no model that AutoModelForSequenceClassification can load"):
        transformer.huggingface(PAGES, model=str(tmp_path / "m"))

"""The tiny language model learns, does not look across documents, and its notebook runs from top to bottom."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest

from curation.headless import run_notebook
from curation.reader import ShardReader

torch = pytest.importorskip("torch")

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "notebooks" / "tiny_language_model.ipynb"
sys.path[:0] = [str(ROOT / "notebooks"), str(ROOT / "tests" / "reader")]

from made_shards import END, write_source  # noqa: E402
from tiny_model import TinyModel, nats_and_bytes, train, validate  # noqa: E402

from curation.reader.torch_rows import TorchRows  # noqa: E402

LENGTH = 32


@pytest.fixture
def tokens_dir(tmp_path):
    """Documents that count upwards: each token follows from the one before."""
    write_source(tmp_path, "web", [(n, 5 + n % 20) for n in range(300)], "best_fit", LENGTH)
    return tmp_path


def rows_of(tokens_dir, seed=0, epochs=1.0):
    mixture = {"sources": {"web": {"epochs": epochs}}}
    return TorchRows(ShardReader(tokens_dir, mixture, seed=seed), LENGTH, END, batch_size=8)


def model_of():
    torch.manual_seed(0)
    return TinyModel(END + 1, LENGTH, width=32, layers=2, heads=2)


def batch_of(rows):
    return next(iter(torch.utils.data.DataLoader(rows, batch_size=8)))


def test_logits_of_a_document_do_not_move_when_others_in_the_row_change(tokens_dir):
    batch, model = batch_of(rows_of(tokens_dir)), model_of().eval()
    for number in range(int(batch["documents"].max()) + 1):
        here = batch["documents"] == number
        changed = torch.where(here, batch["input_ids"], (batch["input_ids"] + 7) % END)
        with torch.no_grad():
            one, other = (model(ids, batch["documents"], batch["positions"]) for ids in (batch["input_ids"], changed))
        assert torch.allclose(one[here], other[here], atol=1e-5)
        assert here.all() or not torch.allclose(one[~here], other[~here], atol=1e-2)


def test_logits_do_not_depend_on_later_tokens(tokens_dir):
    batch, model = batch_of(rows_of(tokens_dir)), model_of().eval()
    changed = batch["input_ids"].clone()
    changed[:, 20:] = 5
    with torch.no_grad():
        one, other = (model(ids, batch["documents"], batch["positions"]) for ids in (batch["input_ids"], changed))
    assert torch.allclose(one[:, :20], other[:, :20], atol=1e-5)
    assert not torch.allclose(one[:, 20:], other[:, 20:], atol=1e-2)


def test_loss_of_a_model_that_knows_nothing_is_that_of_a_fair_draw(tokens_dir):
    """Equal logits: ln(257) nats a token; over the bytes, so many bits."""
    model = model_of()
    torch.nn.init.zeros_(model.tokens.weight)
    nats, tokens, size = nats_and_bytes(model, batch_of(rows_of(tokens_dir)))
    assert nats.item() == pytest.approx(tokens * np.log(257), rel=1e-5)
    rows = list(ShardReader(tokens_dir))
    tokens, size = (sum(int(np.sum(row[name])) for row in rows) for name in ("doc_lengths", "doc_bytes"))
    assert validate(model, rows_of(tokens_dir)) == pytest.approx(np.log2(257) * tokens / size, rel=1e-5)


def test_training_learns_to_count(tokens_dir):
    curve = train(model_of(), rows_of(tokens_dir, epochs=9), rows_of(tokens_dir, seed=1), 32_000, looks=2)
    assert [curve.looked_at[0], curve.looked_at[-1]] == [0, curve.seen[-1]] and curve.seen[-1] >= 32_000
    assert len(curve.validation) == 3
    assert curve.validation[-1] < 0.8 * curve.validation[0]


def test_budget_beyond_the_rows_is_refused(tokens_dir):
    with pytest.raises(ValueError, match="the rows end"):
        train(model_of(), rows_of(tokens_dir), rows_of(tokens_dir), budget_tokens=10**6)


def check(notebook: nbformat.NotebookNode, kind: str) -> None:
    outputs = [one for cell in notebook.cells for one in cell.get("outputs", [])]
    printed = "".join(one["text"] for one in outputs if one.get("name") == "stdout")
    assert f"{kind}; held out: " in printed
    for name in ("raw", "curated"):
        found = re.findall(rf"{name}, seed \d: .* ([\d.]+) -> ([\d.]+) bits per byte", printed)
        assert len(found) == 2 and all(float(after) < 0.9 * float(before) for before, after in found)
    assert "held-out text: raw" in printed
    assert sum("image/png" in one.get("data", {}) for one in outputs) == 1
    assert not any(one["output_type"] == "error" for one in outputs)


@pytest.mark.spark
def test_notebook_on_a_made_up_crawl(monkeypatch):
    monkeypatch.delenv("CURATION_REAL_DATA", raising=False)
    check(run_notebook(NOTEBOOK), "a made-up crawl")


def test_committed_notebook_is_complete_small_and_of_no_machine():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    check(notebook, "real pages")
    assert NOTEBOOK.stat().st_size < 300 << 10
    text = "\n".join(
        str(one) for cell in notebook.cells for one in cell.get("outputs", []) if "image/png" not in str(one)
    )
    assert not re.search(r"(?<![\w:/.])/(home|root|tmp|work|usr|var|Users|mnt)/", text)

"""Both notebooks from top to bottom, without a browser; what they show, and that the committed ones can be read."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from curation.headless import main, run_notebook

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
PARAMETERS, SCOPES = NOTEBOOKS / "dedup_parameters.ipynb", NOTEBOOKS / "snapshot_or_global.ipynb"
LARGEST = 300 << 10  # bytes of a notebook with its outputs


def outputs(notebook, kind):
    found = [one for cell in notebook.cells for one in cell.get("outputs", []) if kind in one.get("data", {})]
    return ["".join(one["data"][kind]) for one in found]


def printed(notebook):
    return "".join(one["text"] for cell in notebook.cells for one in cell.get("outputs", []) if "text" in one)


def check_parameters(notebook, kind):
    assert len(outputs(notebook, "image/png")) == 4
    (sweep,) = outputs(notebook, "image/svg+xml")
    assert "5:14x8: removes" in sweep
    assert f"{kind}: " in printed(notebook)
    curve, removed = outputs(notebook, "text/html")[:2]
    assert all(figure in curve for figure in ("0.719", "0.565", "0.772", "0.924", "0.988"))  # FineWeb's, 14 x 8
    gone = {"news_story", "news_mirror", "shop_kettle_green"}
    assert all(name in removed for name in gone) and "recipe" not in removed


def check_scopes(notebook, kind):
    assert len(outputs(notebook, "image/png")) == 4
    text = printed(notebook)
    assert f"{kind}: " in text
    assert re.search(r"[\d,]+ stored signatures, both scopes decided in [\d.]+ s", text)
    assert re.search(r"scope snapshot: [1-9]\d* documents, the same that the run removed", text)
    assert "kept globally" in text


@pytest.fixture
def no_real_data(monkeypatch):
    monkeypatch.delenv("CURATION_REAL_DATA", raising=False)


def test_parameters_on_a_made_up_crawl(no_real_data):
    check_parameters(run_notebook(PARAMETERS), "a made-up crawl")


@pytest.mark.spark
def test_scopes_on_a_made_up_crawl(no_real_data):
    check_scopes(run_notebook(SCOPES), "a made-up crawl")


@pytest.mark.real
def test_parameters_on_real_pages(monkeypatch, real_data):
    monkeypatch.setenv("CURATION_REAL_DATA", str(real_data))
    check_parameters(run_notebook(PARAMETERS), "real pages")


@pytest.mark.real
@pytest.mark.spark
def test_scopes_on_real_pages(monkeypatch, real_data):
    monkeypatch.setenv("CURATION_REAL_DATA", str(real_data))
    check_scopes(run_notebook(SCOPES), "real pages")


@pytest.mark.parametrize("path", [PARAMETERS, SCOPES], ids=lambda path: path.stem)
def test_what_is_committed_is_complete_small_and_of_no_machine(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    check = check_parameters if path == PARAMETERS else check_scopes
    check(notebook, "real pages")
    assert path.stat().st_size < LARGEST
    texts = [printed(notebook), *outputs(notebook, "text/html"), *outputs(notebook, "text/plain")]
    assert not re.search(r"(?<![\w:/.])/(home|root|tmp|work|usr|var|Users|mnt)/", "\n".join(texts))
    assert not any(one["output_type"] == "error" for cell in notebook.cells for one in cell.get("outputs", []))


def test_a_cell_that_raises_ends_the_notebook_and_nothing_is_written(tmp_path):
    from nbclient.exceptions import CellExecutionError

    cells = [nbformat.v4.new_code_cell(source) for source in ("1 + 1", "raise KeyError('lost')", "2 + 2")]
    path = tmp_path / "broken.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    before = path.read_bytes()
    with pytest.raises(CellExecutionError, match="lost"):
        main([str(path)])
    assert path.read_bytes() == before


def test_outputs_go_into_the_notebook_or_into_a_folder(tmp_path, capsys):
    path = tmp_path / "small.ipynb"
    cell = nbformat.v4.new_code_cell("import sys; print(sys.executable); print('noise', file=sys.stderr)")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    main([str(path), "--out", str(tmp_path / "run")])
    assert not nbformat.read(path, as_version=4).cells[0].outputs
    main([str(path)])
    import sys

    for written in (path, tmp_path / "run" / "small.ipynb"):
        assert printed(nbformat.read(written, as_version=4)) == f"{sys.executable}\n"
    assert capsys.readouterr().out.count("small.ipynb: ") == 2

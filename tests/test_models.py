"""Models are found in a stated order, and a wrong file is never kept."""

from __future__ import annotations

import pytest

from curation import models
from curation.conf import cache_folder
from curation.errors import ModelError, SetUpError
from curation.page import Page
from curation.score.language import fasttext


def test_order_is_path_then_models_folder_then_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CURATION_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CURATION_MODELS", str(tmp_path / "mine"))
    cached = tmp_path / "cache" / "models" / "m.bin"
    cached.parent.mkdir(parents=True)
    cached.write_bytes(b"c")
    assert models.find_model("m.bin") == cached
    mine = tmp_path / "mine" / "m.bin"
    mine.parent.mkdir()
    mine.write_bytes(b"m")
    assert models.find_model("m.bin") == mine
    assert models.find_model(str(cached)) == cached


def test_missing_model_says_where_it_looked_and_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("CURATION_CACHE", str(tmp_path))
    monkeypatch.delenv("CURATION_MODELS", raising=False)
    with pytest.raises(ModelError, match="make setup") as caught:
        models.find_model("lid.176.ftz")
    assert str(tmp_path) in str(caught.value)
    with pytest.raises(ModelError, match="did you mean 'lid.176.ftz'"):
        models.find_model("lid.176.ftx")


def test_file_with_another_checksum_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("CURATION_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match="expected 8f3472cf"):
        models._keep("lid.176.ftz", b"something else")
    assert not (tmp_path / "models").exists()


def test_language_of_a_page_does_not_depend_on_newlines_or_neighbours():
    german = "Die Bienen fliegen im Garten umher\nund sammeln den ganzen Tag Honig."
    alone = fasttext([Page(german)])[0]
    assert alone[0] == "de"
    assert fasttext([Page("Hello there, my friend."), Page(german + "\n"), Page("")])[1] == alone
    assert fasttext([Page(german.replace("\n", " "))])[0] == alone


@pytest.mark.parametrize("text", ["", " \n\t "], ids=["empty", "blank"])
def test_page_without_text_is_undetermined(text):
    assert fasttext([Page(text)]) == [("und", 0.0)]


def test_a_cache_that_cannot_be_made_says_which_variable_names_another(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("CURATION_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(
        SetUpError, match="file/cache, cannot be made .*: name one that can be written with CURATION_CACHE"
    ):
        cache_folder()

"""mC4's long lines, and C4's list of bad words in the layout of its source."""

from __future__ import annotations

import pytest

from curation.errors import InputError
from curation.page import Page
from curation.rules.c4 import bad_word_count, long_line_count


@pytest.fixture
def lists(tmp_path):
    (tmp_path / "en").write_text("rude\nvery rude thing\n2 girls 1 cup\n")
    (tmp_path / "zh").write_text("\u574f\u8bcd\n\u6027\n", encoding="utf-8")
    (tmp_path / "ja").write_text("sm\n\u60aa\u8a9e\n", encoding="utf-8")
    return str(tmp_path)


@pytest.mark.parametrize(("length", "count"), [(199, 0), (200, 1), (201, 1)])
def test_line_is_long_from_200_characters_on(length, count):
    assert long_line_count(Page("short\n" + "x" * length)) == count


@pytest.mark.parametrize(
    ("language", "text", "count"),
    [
        ("en", "A RUDE word, rude.", 2),
        ("en", "rudely crude prude rude_", 0),
        ("en", "a very rude thing", 1),
        ("en", "seen: 2 Girls 1 Cup!", 1),
        ("zh", "\u8fd9\u574f\u8bcd\u5728\u53e5\u4e2d", 1),
        ("zh", "\u6027\u683c", 0),
        ("ja", "SM\u60aa\u8a9e", 1),
        ("de", "rude", 0),
        ("", "rude", 0),
    ],
)
def test_bad_words_are_whole_words_except_in_scripts_without_spaces(lists, language, text, count):
    assert bad_word_count(Page(text, language=language), folder=lists) == count


def test_folder_without_lists_is_an_error_that_says_what_was_expected(tmp_path):
    with pytest.raises(InputError, match="a file for each language"):
        bad_word_count(Page("text", language="en"), folder=str(tmp_path))

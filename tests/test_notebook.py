"""The notebook door: documents in, fates out, without Spark."""

from __future__ import annotations

import subprocess
import sys

import pytest

from curation import Page, explain, load_recipe, on_documents

PROSE = (
    "The river had been quiet for most of the year. In March the water rose to the second step of the mill, and "
    "nobody in the village remembered a spring like that one. Children came with boats made of bark. The miller "
    "moved his flour to the loft with the help of two neighbours, who stayed for supper and told stories of older "
    "floods. By the end of the week the meadow was a lake, and that is where the herons decided to be."
)


def test_gopher_on_texts_gives_fates_without_spark():
    short, good, spam = on_documents(
        load_recipe("gopher"),
        [{"text": "The bees have gone to be with that."}, {"text": PROSE}, {"text": "buy cheap pills now " * 60}],
    )
    assert short["dropped_by"] == "gopher_quality.word_count"
    assert short["dropped_value"] == "8"
    assert good["dropped_by"] is None
    assert good["language"] == "en"
    assert spam["dropped_by"].startswith("gopher_")


def test_duplicates_among_the_documents_are_found_in_memory():

    fates = [d["dropped_by"] for d in on_documents(load_recipe("fineweb"), [{"text": PROSE}, {"text": PROSE}])]
    assert sorted(fates, key=str) == [None, "near_duplicates.duplicate"]


def test_html_is_extracted():
    page = f"<html><body><nav>Home | Shop</nav><article><p>{PROSE}</p></article></body></html>"
    (document,) = on_documents(load_recipe("text"), [{"html": page}])
    assert document["text"] == PROSE


def test_document_without_text_is_refused_by_number():
    with pytest.raises(ValueError, match="document 1 has neither 'text' nor 'html'; its keys: body"):
        on_documents(load_recipe("gopher"), [{"text": "x"}, {"body": "y"}])


def test_explain_shows_every_rule_passing_and_failing():
    findings = explain(load_recipe("gopher"), Page("Too short."))
    by_rule = {(f.stage, f.rule): f for f in findings}
    assert by_rule["gopher_quality", "word_count"].passed is False
    assert by_rule["gopher_quality", "mean_word_length"].passed is True
    assert by_rule["gopher_repetition", "duplicate_line_fraction"].passed is True  # shown although a rule before failed
    assert by_rule["near_duplicates", "duplicate"].passed is None


def test_the_door_imports_no_pyspark():
    code = (
        "import sys; from curation import load_recipe, on_documents; "
        "on_documents(load_recipe('fineweb'), [{'text': 'a b c'}]); sys.exit('pyspark' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

"""Whether a folder may be continued."""

from __future__ import annotations

import pytest

from curation.errors import ResumeError
from curation.recipe.load import load_recipe
from curation.run import manifest
from curation.run.folder import RunFolder
from curation.run.manifest import describe, open_folder


@pytest.mark.parametrize(
    ("name", "before", "now", "refused"),
    [
        ("trafilatura", "2.0.0", "2.1.0", True),
        ("trafilatura", "2.0.0", "2.0.0", False),
        ("python", "3.11.4", "3.12.0", True),
        ("python", "3.11.4", "3.11.9", False),
        ("pyspark", "3.5.6", "4.1.0", False),
    ],
)
def test_a_run_is_not_continued_with_another_version_of_what_makes_its_text(
    tmp_path, monkeypatch, name, before, now, refused
):
    """Its second half was written by another extractor, and the manifest named that one for the whole."""
    folder, identity = RunFolder(tmp_path / "run"), describe(load_recipe("text"), [], {})
    monkeypatch.setattr(manifest, "versions", lambda: {name: before})
    open_folder(folder, identity, [], resume=False)
    monkeypatch.setattr(manifest, "versions", lambda: {name: now})
    if refused:
        with pytest.raises(ResumeError, match=rf"was started with {name} {before} \(now {now}\).*never mixed"):
            open_folder(folder, identity, [], resume=True)
    else:
        assert open_folder(folder, identity, [], resume=True) == []

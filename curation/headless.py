"""Runs notebooks from top to bottom without a browser: `python -m curation.headless NOTEBOOK ... [--out FOLDER]`.

The kernel is the interpreter that runs this, whatever kernels are registered on the machine, so a fresh clone needs no
set-up beyond the extra `notebooks`. A notebook starts in its own folder, as in Jupyter. The first cell that raises ends
it. Without --out the outputs go into the notebook itself.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode

SECONDS = 600  # for one cell


def run_notebook(path: Path, seconds: int = SECONDS) -> NotebookNode:
    """The notebook with fresh outputs; the file stays as it is.

    Raises nbclient.exceptions.CellExecutionError, which shows cell and traceback, where a cell raises.
    """
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        kernel_manager_class=_ThisInterpreter,
        kernel_name="python3",
        timeout=seconds,
        record_timing=False,
        shutdown_kernel="immediate",  # a graceful one interrupts the kernel's children, which say so
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    _tidy(notebook)
    return notebook


class _ThisInterpreter(AsyncKernelManager):
    @property
    def kernel_spec(self) -> KernelSpec:
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=command, display_name="Python 3", language="python")


def _tidy(notebook: NotebookNode) -> None:
    """Takes out what differs from machine to machine and says nothing: messages of libraries, patch version, ids."""
    notebook.metadata = NotebookNode(
        kernelspec={"name": "python3", "display_name": "Python 3", "language": "python"},
        language_info={"name": "python"},
    )
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = NotebookNode()
        if cell.cell_type == "code":
            cell.outputs = [one for one in cell.outputs if one.get("name") != "stderr"]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m curation.headless", description=__doc__.split("\n")[0])
    parser.add_argument("notebooks", nargs="+", type=Path, metavar="NOTEBOOK")
    parser.add_argument("--out", type=Path, help="folder for the run notebooks, instead of the files themselves")
    given = parser.parse_args(arguments)
    for path in given.notebooks:
        started = time.monotonic()
        notebook = run_notebook(path)
        target = given.out / path.name if given.out else path
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, target)
        print(f"{path}: {time.monotonic() - started:.0f} s, {target.stat().st_size / 1024:.0f} kB in {target}")


if __name__ == "__main__":
    main()

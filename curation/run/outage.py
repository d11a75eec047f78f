"""A store that is down is no property of its files: a run stops then, and can be continued without loss."""

from __future__ import annotations

from curation.errors import UnavailableError
from curation.read.report import merge_reports
from curation.run.folder import RunFolder, read_json


def stop_on_outage(folder: RunFolder) -> None:
    """Raises UnavailableError where more than half of the input files could not be had from their store.

    The units that hold such files are taken back, so `--resume` reads them again. Where fewer are missing the run
    goes on without them and names them.
    """
    commits = {path: read_json(path) for path in sorted(folder.commits(0).glob("*.json"))}
    files = merge_reports([split for commit in commits.values() for split in commit["splits"]])
    lost = [file for file in files if file["state"] == "unavailable"]
    if 2 * len(lost) <= len(files):
        return
    for path, commit in commits.items():
        if any(split["state"] == "unavailable" for split in commit["splits"]):
            path.unlink()
    raise UnavailableError(
        f"{len(lost)} of {len(files)} input files could not be had from their store, so the run stops; continue it "
        f"with --resume when the store answers again. The first: {lost[0]['error']}"
    )

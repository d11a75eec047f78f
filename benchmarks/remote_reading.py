"""A WARC read from a web server that fails in 30 % of requests, against the same file on disk and against fsspec.

    python benchmarks/remote_reading.py [--mebibytes 32] [--check]

The server is a process of its own on loopback, with 50 ms before each answer. It answers 503 or SlowDown, resets the
connection, or cuts bodies, drawn per request from a seed. Waits between tries are cut to 20 ms: what is measured is the
bytes, not the patience. Reading means all pages out of all splits of 8 MiB, without extraction.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from curation.read.inputs import list_inputs  # noqa: E402
from curation.read.pages import read_pages  # noqa: E402
from curation.read.report import SplitReport  # noqa: E402
from curation.read.splits import plan_splits  # noqa: E402
from curation.sample.snapshots import write_snapshots  # noqa: E402
from curation.stores.access import Access, use  # noqa: E402
from tests.stores.fault_server import FaultServer, Plan, folder  # noqa: E402

LATENCY, SHARE, SPLIT = 0.05, 0.3, 8 << 20
ROUNDS, PEER_ROUNDS = 3, 10
# A page costs 20 ms and more to extract: a tenth of that may be added. Each split also reads the head of the file
# (256 KiB), the mebibyte before it and up to 512 KiB behind it: 22 % of 8 MiB, 1.4 % of the usual 128 MiB.
GOALS = {"ms_per_page_added": 2.0, "requests_per_128_mib": 25, "bytes_over_file": 1.3}


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--mebibytes", type=int, default=32)
    options.add_argument("--check", action="store_true")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        file = make_warc(root, given.mebibytes << 20)
        figures = measure(root, file)
    missed = [name for name, goal in GOALS.items() if figures[name] > goal]
    if not (figures["pages_equal"] and figures["exact_of_peer_rounds"]["ours"] == PEER_ROUNDS):
        missed.append("exactness")
    for name, value in figures.items():
        print(f"{name:40} {value}")
    print(json.dumps(figures | {"missed": missed}))
    sys.exit(1 if given.check and missed else 0)


def make_warc(root: Path, size: int) -> Path:
    """The sample pages again and again; gzip members can follow each other in any number."""
    write_snapshots(root / "sample", pages=400)
    first = sorted((root / "sample").rglob("*.warc.gz"))[1].read_bytes()
    (root / "served").mkdir()
    path = root / "served" / "pages.warc.gz"
    path.write_bytes(first * max(1, size // len(first)))
    return path


def measure(root: Path, file: Path) -> dict:
    """All figures."""
    use(Access(first_wait=0.02, longest_wait=0.02))
    seconds, digests, pages = {"disk": []}, set(), 0
    for _ in range(ROUNDS):
        took, digest, pages = read_all(str(file))
        seconds["disk"].append(took)
        digests.add(digest)
    fetched = requests = 0
    for name, share in (("server", 0.0), ("failing server", SHARE)):
        seconds[name] = []
        for number in range(ROUNDS):
            with Server(file.parent, share, seed=number) as server:
                took, digest, _ = read_all(f"{server.url}/{file.name}")
                seconds[name].append(took)
                digests.add(digest)
                requests, fetched = server.counts()
    median = {name: statistics.median(values) for name, values in seconds.items()}
    (file.parent / "zeros").write_bytes(bytes(128 << 20))
    with Server(file.parent, 0.0) as server:
        ours(f"{server.url}/zeros")
        whole_requests, _ = server.counts()
    size = file.stat().st_size
    return {
        "mebibytes": round(size / 2**20, 1),
        "pages": pages,
        "pages_equal": len(digests) == 1,
        "seconds": {name: round(value, 2) for name, value in median.items()},
        "ms_per_page_added": round(1000 * (median["failing server"] - median["disk"]) / pages, 3),
        "failing_over_good_server": round(median["failing server"] / median["server"], 2),
        "requests_with_failures": requests,
        "bytes_over_file": round(fetched / size, 3),
        "requests_per_128_mib": whole_requests,
        "exact_of_peer_rounds": {"ours": exact_rounds(file, ours), "fsspec": exact_rounds(file, by_fsspec)},
    }


def read_all(where: str) -> tuple[float, str, int]:
    """(seconds, digest of all pages, pages)."""
    began, digest, pages = time.monotonic(), hashlib.sha256(), 0
    for one in plan_splits(list_inputs(where), SPLIT):
        for page in read_pages(one, SplitReport(one)):
            digest.update(f"{page.doc_id} {page.dropped_by} {page.html}".encode("utf-8", "surrogatepass"))
            pages += 1
    return time.monotonic() - began, digest.hexdigest(), pages


def exact_rounds(file: Path, read) -> int:
    """In how many of PEER_ROUNDS the bytes came whole and right from a failing server."""
    expected, exact = hashlib.sha256(file.read_bytes()).digest(), 0
    for number in range(PEER_ROUNDS):
        with Server(file.parent, SHARE, seed=100 + number, latency=0.0) as server:
            try:
                exact += read(f"{server.url}/{file.name}") == expected
            except Exception as error:  # whatever a peer raises: the round is lost
                print(f"{read.__name__}: {type(error).__name__}")
    return exact


def ours(address: str) -> bytes:
    from curation.read.tape import Tape

    digest = hashlib.sha256()
    with Tape(address) as tape:
        for position in range(0, tape.size, 1 << 20):
            digest.update(tape.at(position, 1 << 20))
    return digest.digest()


def by_fsspec(address: str) -> bytes:
    import fsspec

    digest = hashlib.sha256()
    with fsspec.open(address, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.digest()


class Server:
    """A FaultServer in a process of its own: its work is not ours."""

    def __init__(self, root: Path, share: float, seed: int = 0, latency: float = LATENCY):
        self._ours, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.Process(target=serve, args=(root, share, seed, latency, theirs))

    def __enter__(self) -> Server:
        self._process.start()
        self.url = self._ours.recv()
        return self

    def counts(self) -> tuple[int, int]:
        """(requests, bytes of bodies that were sent)."""
        self._ours.send("counts")
        return self._ours.recv()

    def __exit__(self, *failure) -> None:
        self._ours.send("end")
        self._process.join()


def serve(root: Path, share: float, seed: int, latency: float, pipe) -> None:
    with FaultServer(folder(root), Plan(share=share, seed=seed)) as server:
        server.before_reply = lambda: time.sleep(latency)
        pipe.send(server.url)
        while pipe.recv() == "counts":
            pipe.send((sum(server.seen.values()), server.bytes_sent))


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()

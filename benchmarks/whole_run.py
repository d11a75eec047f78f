"""Claim: from WARC files to deduplicated text, FineWeb's route, at least twice as fast as datatrove on the same cores.

    python benchmarks/whole_run.py --pages FOLDER [--copies 3] [--check]

FOLDER holds snapshots/, two snapshots of real pages; their files, copied a few times under other names, are the input
of both sides, as loose files, so both look for copies over all of them. Ours: recipe `fineweb` without tokens, as a
user starts it, in a process of its own, so the start of Spark counts. Theirs: datatrove's blocks for the same route
(url lists, trafilatura for precision, language, Gopher, C4 and FineWeb rules, MinHash, e-mail and IP addresses masked)
with their defaults, on as many processes as cores; it writes no dropped pages and no report. Wall time, one after the
other.

The pages that stay are compared by url: what only one side keeps is counted, not explained; `agreement.py` explains the
rules' share. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.dataset as ds
import yaml
from peers import DATATROVE, peer_python, run_peer

from curation.commands.run import cores_of
from curation.conf import conf_folder
from curation.models import find_model
from curation.recipe.run_files import Cluster

GOAL = 2.0  # times datatrove


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=Path, required=True)
    parser.add_argument("--copies", type=int, default=3, help="of each file; one is 70 MB of archives in all")
    parser.add_argument("--check", action="store_true", help="exit 1 where the goal is missed")
    arguments = parser.parse_args()
    cores = cores_of(Cluster())
    with tempfile.TemporaryDirectory() as folder:
        pages = Path(folder) / "warcs"
        pages.mkdir()
        for archive in sorted((arguments.pages / "snapshots").rglob("*.warc.gz")):
            for copy in range(arguments.copies):
                shutil.copy(archive, pages / f"{copy}-{archive.name}")
        ours = curation(pages, Path(folder) / "ours")
        theirs = datatrove(pages, Path(folder) / "theirs", cores)
    urls, peer_urls = ours.pop("urls"), theirs.pop("urls")
    result = {
        "cores": cores,
        "copies": arguments.copies,
        "curation": ours,
        "datatrove": theirs,
        "kept_by_both": len(urls & peer_urls),
        "kept_by_curation_only": len(urls - peer_urls),
        "kept_by_datatrove_only": len(peer_urls - urls),
        "times_datatrove": round(theirs["seconds"] / ours["seconds"], 1),
    }
    result["missed"] = ["times_datatrove"] if result["times_datatrove"] < GOAL else []
    print(json.dumps(result))
    sys.exit(1 if arguments.check and result["missed"] else 0)


def curation(pages: Path, out: Path) -> dict:
    recipe = yaml.safe_load((conf_folder() / "recipes" / "fineweb.yaml").read_text())
    without_tokens = out.with_suffix(".yaml")
    without_tokens.write_text(yaml.safe_dump({k: v for k, v in recipe.items() if k not in ("tokens", "mixture")}))
    command = [
        sys.executable,
        "-m",
        "curation.cli",
        "run",
        str(without_tokens),
        "--input",
        str(pages),
        "--out",
        str(out),
    ]
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - started
    manifest = json.loads((out / "manifest.json").read_text())
    urls = ds.dataset(out / "curated").to_table(columns=["url"])["url"].to_pylist()
    pages_in = json.loads((out / "funnel.json").read_text())["stages"][0]["pages_in"]
    return {
        "seconds": round(seconds, 1), "steps": manifest["seconds"], "pages_in": pages_in, "kept": len(urls),
        "urls": set(urls),
    }  # fmt: skip


def datatrove(pages: Path, work: Path, cores: int) -> dict:
    script, model = Path(__file__).with_name("peer_whole_run.py"), find_model("lid.176.ftz")
    python = peer_python(*DATATROVE)
    started = time.perf_counter()
    answer = run_peer(python, script, pages, work, str(cores), model)
    seconds = time.perf_counter() - started
    urls = []
    for path in sorted((work / "output").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            urls += [json.loads(line)["metadata"]["url"] for line in lines]
    return {"seconds": round(seconds, 1), "steps": answer["seconds"], "stats": answer["stats"], "kept": len(urls),
            "urls": set(urls)}  # fmt: skip


if __name__ == "__main__":
    main()

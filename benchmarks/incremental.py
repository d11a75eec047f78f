"""Claim: a snapshot against the stored signatures of an earlier one loses exactly what it loses in a joint global run.

    python benchmarks/incremental.py --pages FOLDER [--check]

FOLDER holds snapshots/, two snapshots of real pages. Three runs: the first snapshot alone; the second `against` it;
both together. keep: first everywhere. Pages of the second snapshot that each of the last two removes, and the copy each
names as kept, are compared. The last line printed is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import pyarrow.dataset as ds
import yaml

from curation.commands.run import cores_of
from curation.recipe.load import load_recipe
from curation.recipe.run_files import Cluster, Source
from curation.run.folder import RunFolder
from curation.run.run import run_recipe
from curation.spark import start_session

STAGES = ("exact_duplicates", "near_duplicates")
RECIPE = {
    "name": "incremental",
    "version": 1,
    "source": "none",
    "stages": [
        {"main_text": {"extract": "resiliparse"}},
        {"exact_duplicates": {"corpus": "exact", "keep": "first"}},
        {"near_duplicates": {"corpus": "minhash", "scope": "global", "keep": "first"}},
    ],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=Path, required=True)
    parser.add_argument("--check", action="store_true", help="exit 1 where the removals differ")
    arguments = parser.parse_args()
    first, second = sorted(path.name for path in (arguments.pages / "snapshots").iterdir() if path.is_dir())
    spark = start_session(cores_of(Cluster()))
    result: dict = {"first": first, "second": second}
    with tempfile.TemporaryDirectory() as root:
        recipe = Path(root) / "incremental.yaml"
        recipe.write_text(yaml.safe_dump(RECIPE))

        def run(name: str, snapshots: tuple[str, ...], against: tuple[str, ...] = ()) -> RunFolder:
            started = time.perf_counter()
            source = Source(where=str(arguments.pages / "snapshots"), snapshots=snapshots)
            done = run_recipe(
                partial(lambda: spark), load_recipe(recipe), [source], Path(root) / name,
                cores=cores_of(Cluster()), against=[Path(root) / one for one in against],
            )  # fmt: skip
            result[f"{name}_seconds"] = round(time.perf_counter() - started, 1)
            return done.folder

        run("alone", (first,))
        against, joint = run("against", (second,), ("alone",)), run("joint", (first, second))
        pages = ds.dataset(sorted((against.pass_folder(0) / "alive=true").glob("*.parquet")))
        ids = set(pages.to_table(columns=["doc_id"])["doc_id"].to_pylist())
        for stage in STAGES:
            one, other = removed(against, stage, ids), removed(joint, stage, ids)
            result[stage] = {"against": len(one), "joint": len(other), "equal": one == other}
    result["pages_of_second"] = len(ids)
    result["missed"] = [stage for stage in STAGES if not result[stage]["equal"]]
    print(json.dumps(result))
    sys.exit(1 if arguments.check and result["missed"] else 0)


def removed(folder: RunFolder, stage: str, ids: set[int]) -> dict[int, tuple]:
    """doc_id -> (kept_id, cluster_id, cluster_size, similarity) of those removed pages whose id is among `ids`."""
    rows = ds.dataset(folder.removals(stage)).to_table().to_pylist()
    names = ("kept_id", "cluster_id", "cluster_size", "similarity")
    return {row["doc_id"]: tuple(row[name] for name in names) for row in rows if row["doc_id"] in ids}


if __name__ == "__main__":
    main()

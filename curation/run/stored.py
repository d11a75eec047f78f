"""What a sweep compares: the signatures and texts of a finished run, or the texts of a file, signed on the spot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from curation.dedup.bands import salts
from curation.dedup.columns import matrix
from curation.dedup.duplicates import MinHash
from curation.dedup.kernel import Unit, signatures
from curation.dedup.sweep import LOWEST, Setting, Signed
from curation.dedup.true_pairs import Pairs, choose, sample_of, true_pairs
from curation.errors import InputError
from curation.recipe.load import rebuild_recipe
from curation.run.earlier import decided_before
from curation.run.folder import RunFolder, read_json
from curation.run.plan import cut_into_segments

Texts = Callable[[], Iterator[tuple[np.ndarray, pa.Array]]]  # batches of (ids, texts); may be called again


@dataclass(frozen=True)
class Material:
    """Signatures by shingle length, the texts they are of, and what a shingle is made of."""

    signed: dict[int, Signed]
    texts: Texts
    unit: Unit


def from_run(folder: RunFolder, stage: str, settings: Sequence[Setting]) -> Material:
    """Signatures a run stored for a stage `minhash`, in memory (448 bytes a document at 112 hashes), in its scope.

    Raises InputError where the run has none, or they do not serve a setting.
    """
    if not folder.plan.is_file():
        raise InputError(f"{folder.root} is no run folder: it holds no plan.json")
    segments = cut_into_segments(rebuild_recipe(read_json(folder.plan)["resolved"]).stages)
    known = {one.name: (one, s.number) for s in segments for one in s.corpus_stages if isinstance(one, MinHash)}
    if stage not in known:
        raise InputError(f"{folder.root} has no stage '{stage}' of minhash; it has {', '.join(known) or 'none'}")
    minhash, segment = known[stage]
    if minhash.store != "signatures":
        raise InputError(f"{folder.root}: stage '{stage}' stored bands only; other bands need store: signatures")
    for one in settings:
        if one.ngram != minhash.ngram or one.bands * one.rows > minhash.bands * minhash.rows:
            raise InputError(
                f"setting {one} does not fit {folder.root}, which stored {minhash.bands * minhash.rows} hashes of "
                f"{minhash.ngram}-grams; sweep a file of texts for that"
            )
    columns = ["doc_id", "source", "snapshot", "signature"]
    keys = ds.dataset(folder.signatures(stage), format="parquet").to_table(columns=columns)
    keys = keys.filter(pc.is_valid(keys["signature"])).sort_by("doc_id")
    for before in decided_before(folder, stage):  # the stage did not see what these removed
        removed = pq.read_table(folder.removals(before), columns=["doc_id"])["doc_id"].combine_chunks()
        keys = keys.filter(pc.invert(pc.is_in(keys["doc_id"], removed)))
    salt = salts(keys["source"].to_pylist(), keys["snapshot"].to_pylist()) if minhash.scope == "snapshot" else None
    signed = Signed(keys["doc_id"].to_numpy(), matrix(keys["signature"], "<u4"), salt)
    return Material({minhash.ngram: signed}, _documents(folder.alive(segment, last=False)), minhash.unit)


def from_texts(texts: Texts, settings: Sequence[Setting], unit: Unit = "word", seed: int = 1) -> Material:
    """Signs every text for each shingle length of the settings, with as many hashes as the largest of them needs."""
    signed = {}
    for ngram in dict.fromkeys(one.ngram for one in settings):
        hashes = max(one.bands * one.rows for one in settings if one.ngram == ngram)
        ids, values = [np.zeros(0, np.int64)], [np.zeros((0, hashes), np.uint32)]
        for batch_ids, batch in texts():
            made = signatures(batch, ngram=ngram, hashes=hashes, seed=seed, unit=unit)
            ids.append(batch_ids[made.shingles > 0])
            values.append(made.values[made.shingles > 0])
        every = np.concatenate(ids)
        order = np.argsort(every)
        signed[ngram] = Signed(every[order], np.concatenate(values)[order])
    return Material(signed, texts, unit)


def sampled_pairs(material: Material, count: int) -> dict[int, tuple[np.ndarray, Pairs]]:
    """For each shingle length `count` sampled ids and all their pairs of at least LOWEST: two passes over the texts."""
    samples = {}
    for ngram, signed in material.signed.items():
        chosen = np.sort(choose(signed.ids, count))
        ids, texts = [np.zeros(0, np.int64)], [pa.array([], pa.large_string())]
        for batch_ids, batch in material.texts():
            inside = np.isin(batch_ids, chosen)
            ids.append(batch_ids[inside])
            texts.append(batch.filter(pa.array(inside)).cast(pa.large_string()))
        sample = sample_of(np.concatenate(ids), pa.concat_arrays(texts), ngram, material.unit)
        samples[ngram] = (chosen, true_pairs(sample, material.texts(), ngram, material.unit, LOWEST))
    return samples


def _documents(folder: Path) -> Texts:
    def batches() -> Iterator[tuple[np.ndarray, pa.Array]]:
        for path in sorted(folder.glob("*.parquet")):
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(1024, columns=["doc_id", "text"]):
                    yield batch["doc_id"].to_numpy(), batch["text"]

    if not folder.is_dir():
        raise InputError(f"{folder} is not there, and true similarity needs texts; sweep the files of texts instead")
    return batches

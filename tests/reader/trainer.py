"""A trainer that can be killed: reads rows of a rank, and saves what it saw and where it stands every few rows.

    python trainer.py TOKENS_DIR MIXTURE RANK WORLD LENGTH OUT

OUT/seen holds one line a row, OUT/state.json the reader's state and the length of `seen` that goes with it.
"""

import hashlib
import json
import os
import sys
from pathlib import Path

from curation.reader import ShardReader

SAVE_EVERY = 7  # rows


def main() -> None:
    tokens_dir, mixture, rank, world, length, out = sys.argv[1:]
    out = Path(out)
    reader = ShardReader(
        tokens_dir, mixture, rank=int(rank), world=int(world), seed=5, sequence_length=int(length) or None
    )
    known = out / "state.json"
    size = 0
    if known.is_file():
        saved = json.loads(known.read_text())
        reader.load_state_dict(saved["reader"])
        size = saved["size"]
    with (out / "seen").open("ab") as seen:
        seen.truncate(size)  # what was read after the state was saved is read again
        for number, row in enumerate(reader, start=1):
            seen.write(line_of(row))
            seen.flush()
            if number % SAVE_EVERY == 0:
                save(known, {"reader": reader.state_dict(), "size": seen.tell()})
    (out / "done").touch()


def line_of(row: dict) -> bytes:
    told = hashlib.sha256(row["input_ids"].tobytes() + row["doc_ids"].tobytes()).hexdigest()
    return f"{row['source']} {row['phase']} {told}\n".encode()


def save(path: Path, content: dict) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(content))
    os.replace(fresh, path)


if __name__ == "__main__":
    main()

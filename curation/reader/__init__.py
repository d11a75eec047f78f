"""The trainer's reader: packed rows of all sources in the proportions of the mixture, resumable to the row.

Needs only pyarrow and numpy (packing rows anew needs numba, `curation.reader.torch_rows` torch).
"""

from curation.reader.rows import ShardReader
from curation.reader.targets import bits_per_byte, targets

__all__ = ["ShardReader", "bits_per_byte", "targets"]

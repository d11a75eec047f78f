"""Reading on at the byte where a stream broke, whatever a store does; with a made store, without a network."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.errors import StoreError, UnavailableError
from curation.read.tape import Tape, TapeFile
from curation.stores import access as access_module
from curation.stores import remote
from curation.stores.access import Access
from curation.stores.http import Answer
from curation.stores.remote import HEAD_BYTES, RemoteFile, working_clock
from curation.stores.retry import FINAL, Setback

CONTENT = bytes(range(256)) * 4096  # 1 MiB, four heads


class MadeStore:
    """Serves `content`; `faults` are taken one a request: None, a Setback, or a change of the answer."""

    def __init__(self, content: bytes = CONTENT, faults=(), tag: str = '"one"', piece: int = 1000):
        self.content, self.faults, self.tag, self.piece = content, list(faults), tag, piece
        self.requests: list[tuple[int, int, str]] = []

    def size(self, address: str) -> int:
        return len(self.content)

    def get(self, address: str, start: int, stop: int, tag: str) -> Answer:
        self.requests.append((start, stop, tag))
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, Setback):
            raise fault
        answer = Answer(start, len(self.content), self.tag, self._pieces(start, stop, None))
        return fault(self, answer, start, stop) if fault else answer

    def _pieces(self, start: int, stop: int, broken_after: int | None, error: bool = True):
        body = self.content[start:stop]
        cut = len(body) if broken_after is None else min(broken_after, len(body))
        for at in range(0, cut, self.piece):
            yield body[at : min(at + self.piece, cut)]
        if broken_after is not None and error:
            raise Setback("the connection broke")


def breaks_after(count: int, error: bool = True) -> Callable:
    """Sends so many bytes, then an error, or just the end."""
    return lambda store, answer, start, stop: Answer(
        start, answer.size, answer.tag, store._pieces(start, stop, count, error)
    )


def becomes(**changes) -> Callable:
    """An answer with another size, tag, start or content."""

    def change(store, answer, start, stop):
        pieces = iter_of(changes["content"][start:stop]) if "content" in changes else answer.pieces
        return Answer(
            changes.get("start", start), changes.get("size", answer.size), changes.get("tag", answer.tag), pieces
        )

    return change


def iter_of(data: bytes):
    yield data


FAULTS = st.lists(
    st.one_of(
        st.integers(0, 3000).map(breaks_after),
        st.integers(0, 3000).map(lambda n: breaks_after(n, error=False)),
        st.just(Setback("503 SlowDown", wait=None)),
    ),
    max_size=40,
)


@given(FAULTS, st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 4000)), max_size=5), st.integers(1, 999))
def test_any_sequence_of_breaks_gives_the_exact_bytes(faults, reads, piece):
    before = access_module._access
    access_module._access = Access(tries=100, first_wait=0.0)
    try:
        content = CONTENT[:5000]
        store = MadeStore(content, faults, piece=piece)
        file = RemoteFile("https://h/x.bin", store)
        assert (file.size, file.head) == (5000, content)
        for start, count in reads:
            assert file.read(start, count) == content[start : start + count]
    finally:
        access_module._access = before


def test_it_goes_on_at_the_broken_byte_and_asks_for_no_byte_twice():
    store = MadeStore(faults=[None, breaks_after(700), breaks_after(0), breaks_after(1, error=False)])
    file = RemoteFile("https://h/x", store)
    assert file.read(500_000, 10_000) == CONTENT[500_000:510_000]
    assert [request[:2] for request in store.requests] == [
        (0, HEAD_BYTES), (500_000, 510_000), (500_700, 510_000), (500_700, 510_000), (500_701, 510_000),
    ]  # fmt: skip
    assert {tag for _, _, tag in store.requests[1:]} == {'"one"'}


def test_progress_starts_the_count_of_tries_again():
    access_module._access = Access(tries=2, first_wait=0.0)
    got_on = [breaks_after(remote.GOT_ON)] * 10
    file = RemoteFile("https://h/x", MadeStore(faults=[None, *got_on]))
    assert file.read(0, len(CONTENT)) == CONTENT
    stuck = [breaks_after(remote.GOT_ON - 1)] * 10
    file = RemoteFile("https://h/x", MadeStore(faults=[None, *stuck]))
    with pytest.raises(UnavailableError, match="2 tries"):
        file.read(0, len(CONTENT))


@pytest.mark.parametrize(
    "fault",
    [
        becomes(tag='"two"'),
        becomes(size=len(CONTENT) - 1),
        becomes(size=0, content=b""),
        becomes(start=7),
    ],
)
def test_one_odd_answer_is_asked_for_again_and_a_lasting_one_is_an_error(fault):
    file = RemoteFile("https://h/x", MadeStore(faults=[None, breaks_after(100), fault]))
    assert file.read(1000, 50_000) == CONTENT[1000:51_000]
    file = RemoteFile("https://h/x", MadeStore(faults=[None, breaks_after(100), *[fault] * 20]))
    with pytest.raises(StoreError, match="content changed|begins at 7") as caught:
        file.read(1000, 50_000)
    assert type(caught.value) is StoreError and "https://h/x" in str(caught.value)


def test_content_that_changes_for_good_gives_no_mixture():
    store = MadeStore(faults=[None, breaks_after(100)])
    file = RemoteFile("https://h/x", store)
    store.tag, store.content = '"two"', CONTENT[::-1]
    with pytest.raises(StoreError, match="content changed"):
        file.read(300_000, 5000)


def test_a_server_without_ranges_is_refused_with_a_way_out():
    file = RemoteFile("https://h/x", MadeStore(faults=[None, becomes(start=0)]))
    with pytest.raises(StoreError, match="no byte ranges.*give the local one"):
        file.read(300_000, 10)


def test_a_final_answer_ends_it():
    with pytest.raises(StoreError, match="no such file"):
        RemoteFile("https://h/x", MadeStore(faults=[Setback("there is no such file", FINAL)]))


@pytest.mark.parametrize("name", ["x.warc.gz", "x.parquet", "x.jsonl.zst", "x.warc"])
def test_a_page_instead_of_a_file_is_asked_for_again_and_in_the_end_believed(name):
    page = b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>"
    odd = becomes(content=page, size=len(page), tag="")
    file = RemoteFile(f"https://h/{name}", MadeStore(faults=[odd]))
    assert file.head == CONTENT[:HEAD_BYTES]
    store = MadeStore(faults=[odd] * 20)
    assert RemoteFile(f"https://h/{name}", store).head == page
    assert len(store.requests) == 3


def test_a_page_that_is_asked_for_is_no_error():
    assert RemoteFile("https://h/x.html", MadeStore(b"<html>")).head == b"<html>"


def test_an_answer_that_trickles_is_broken_off_and_taken_up_again(monkeypatch):
    monkeypatch.setattr(remote, "START_SECONDS", -100.0)
    store = MadeStore(CONTENT[:100_000], piece=60_000)
    access_module._access = Access(tries=3, first_wait=0.0)
    file = RemoteFile("https://h/x", store)
    assert file.head == CONTENT[:100_000]
    assert [request[0] for request in store.requests] == [0, 60_000]


def test_more_bytes_than_promised_are_left_out():
    long = becomes(content=CONTENT + b"more")
    file = RemoteFile("https://h/x", MadeStore(CONTENT[:10], faults=[long]))
    assert file.head == CONTENT[:10]


def test_an_empty_file():
    file = RemoteFile("https://h/x", MadeStore(b""))
    assert (file.size, file.head, file.read(0, 10)) == (0, b"", b"")


def test_waiting_for_a_store_is_not_working_time():
    clock = iter([0.0, 100.0, 200.0, 300.0, 400.0, 500.0, 600.0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remote, "_waited", type("Local", (), {})())
        patch.setattr(remote.time, "monotonic", lambda: next(clock))
        before = working_clock()
        with remote.waiting():
            pass
        assert working_clock() - before == 200.0  # of 300 seconds 100 were waiting


@pytest.fixture
def made_tape(monkeypatch):
    """A tape over a MadeStore, and that store."""

    def make(until: int | None = None, content: bytes = CONTENT) -> tuple[Tape, MadeStore]:
        store = MadeStore(content)
        monkeypatch.setattr(remote, "store_of", lambda address: store)
        return Tape("https://h/x", until=until), store

    return make


@given(st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 400_000)), min_size=1, max_size=12))
def test_a_tape_gives_the_same_bytes_in_any_order(reads):
    with pytest.MonkeyPatch.context() as patch:
        store = MadeStore(piece=1 << 16)
        patch.setattr(remote, "store_of", lambda address: store)
        with Tape("https://h/x") as tape:
            for position, count in reads:
                assert tape.at(position, count) == CONTENT[position : position + count]


def test_reading_on_fetches_more_each_time_and_no_byte_twice(made_tape):
    content = CONTENT * 32
    tape, store = made_tape(content=content)
    got = b"".join(tape.at(position, 1 << 15) for position in range(0, len(content), 1 << 15))
    assert got == content
    assert len(store.requests) <= 12
    ends = [(start, min(stop, len(content))) for start, stop, _ in store.requests]
    assert ends[0][0] == 0 and ends[-1][1] == len(content)
    assert all(stop == start for (_, stop), (start, _) in zip(ends, ends[1:], strict=False))


def test_nothing_is_fetched_ahead_behind_the_end_of_a_split(made_tape):
    content = CONTENT * 32
    tape, store = made_tape(until=8 << 20, content=content)
    for position in range(4 << 20, 8 << 20, 1 << 15):
        tape.at(position, 1 << 15)
    assert max(stop for _, stop, _ in store.requests) <= (8 << 20) + (1 << 18)


def test_a_tape_as_a_file_object(made_tape):
    tape, _ = made_tape()
    file = TapeFile(tape)
    assert file.seek(-10, 2) == len(CONTENT) - 10
    assert file.read() == CONTENT[-10:] and file.read(5) == b""
    file.seek(5)
    file.seek(3, 1)
    assert (file.tell(), file.read(2)) == (8, CONTENT[8:10])

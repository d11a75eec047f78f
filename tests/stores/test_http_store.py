"""Files from a real web server on loopback that misbehaves."""

from __future__ import annotations

import base64
import os
import random
import threading

import pytest

from curation.errors import InputError, StoreError, UnavailableError
from curation.stores import access as access_module
from curation.stores import http
from curation.stores.access import Access, conceal
from curation.stores.files import size_of, sizes_of
from curation.stores.http import HttpStore
from curation.stores.remote import RemoteFile
from curation.stores.retry import Setback, Tries
from tests.stores.fault_server import KINDS, FaultServer, Plan, folder, ranged

CONTENT = random.Random(3).randbytes(700_000)


@pytest.fixture
def root(tmp_path):
    (tmp_path / "a b.bin").write_bytes(CONTENT)
    (tmp_path / "empty.bin").write_bytes(b"")
    return tmp_path


@pytest.mark.parametrize("kind", KINDS)
def test_exact_bytes_although_half_of_the_requests_fail(root, kind):
    with FaultServer(folder(root), Plan(share=0.5, kinds=(kind,))) as server:
        address = f"{server.url}/a b.bin"
        assert size_of(address) == len(CONTENT)
        file = RemoteFile(address)
        assert file.size == len(CONTENT)
        read = b"".join(file.read(start, 50_000) for start in range(0, len(CONTENT), 50_000))
        assert read == CONTENT
        assert server.failed[kind] > 3


def test_one_connection_serves_one_reader_until_it_breaks(root):
    with FaultServer(folder(root)) as server:
        file = RemoteFile(f"{server.url}/a b.bin")
        for start in range(0, len(CONTENT), 50_000):
            file.read(start, 50_000)
        assert size_of(f"{server.url}/a b.bin") == len(CONTENT)
        assert server.seen["GET"] == 15 and server.connections == 1


def test_answers_that_are_not_wanted_hold_no_connection(root):
    versions = iter([CONTENT, *[CONTENT[::-1]] * 3])
    with FaultServer(lambda method, path, headers, body: ranged(next(versions), headers)) as server:
        access_module._access = Access(tries=3, first_wait=0.0)
        file = RemoteFile(f"{server.url}/x.bin")
        with pytest.raises(StoreError, match="content changed"):
            file.read(300_000, 10)
        pool = http._pool(os.getpid(), None).connection_from_url(server.url)
        assert sum(connection is not None for connection in pool.pool.queue) <= 1


def test_retry_after_is_kept_to(root, monkeypatch):
    waits = []
    monkeypatch.setitem(Tries.__init__.__kwdefaults__, "sleep", waits.append)
    plan = Plan(share=1.0, kinds=("503",), retry_after="7")
    with FaultServer(folder(root), plan) as server, pytest.raises(UnavailableError, match="503"):
        access_module._access = Access(tries=3, first_wait=0.0)
        size_of(f"{server.url}/a b.bin")
    assert waits == [7.0, 7.0]


@pytest.mark.parametrize(
    ("status", "error"), [(404, StoreError), (403, StoreError), (401, StoreError), (503, UnavailableError)]
)
def test_a_file_that_cannot_be_had_is_named_with_the_reason(root, status, error):
    with FaultServer(folder(root), Plan(always={"a%20b": status})) as server:
        with pytest.raises(error, match=f"{server.url}/a b.bin: .*{status}") as caught:
            RemoteFile(f"{server.url}/a b.bin")
        assert type(caught.value) is error


def test_nobody_listens():
    access_module._access = Access(tries=2, first_wait=0.0)
    with pytest.raises(UnavailableError, match="connection broke .NewConnectionError.*2 tries"):
        size_of("http://127.0.0.1:9/x.warc.gz")


def test_an_empty_file(root):
    with FaultServer(folder(root)) as server:
        file = RemoteFile(f"{server.url}/empty.bin")
        assert (file.size, file.head) == (0, b"")


def test_a_server_that_sends_whole_files_only(root):
    def whole(method, path, headers, body):
        return ranged(CONTENT, {})

    with FaultServer(whole) as server:
        file = RemoteFile(f"{server.url}/x.bin")
        assert (file.size, file.head) == (len(CONTENT), CONTENT[: 1 << 18])
        with pytest.raises(StoreError, match="no byte ranges"):
            file.read(300_000, 10)


def test_content_that_changed_between_two_reads(root):
    with FaultServer(folder(root)) as server:
        file = RemoteFile(f"{server.url}/a b.bin")
        (root / "a b.bin").write_bytes(CONTENT[::-1])
        with pytest.raises(StoreError, match="content changed"):
            file.read(300_000, 10)


def test_content_that_changed_back_is_read_on(root):
    versions = iter([CONTENT, CONTENT, CONTENT[::-1], CONTENT, CONTENT])

    def reply(method, path, headers, body):
        return ranged(next(versions), headers)

    with FaultServer(reply) as server:
        file = RemoteFile(f"{server.url}/x.bin")
        assert file.read(300_000, 10) == CONTENT[300_000:300_010]
        assert file.read(400_000, 10) == CONTENT[400_000:400_010]


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Content-Range": "bytes 0-9"}, 206), ({}, 206), ({"Content-Range": "bytes */10"}, 206)],
)
def test_a_part_that_does_not_say_which(headers, status):
    with (
        FaultServer(lambda *request: (status, headers, b"0123456789")) as server,
        pytest.raises(Setback, match="Range"),
    ):
        HttpStore().get(f"{server.url}/x", 0, 10, "")


def test_a_server_without_head(root):
    files = folder(root)

    def reply(method, path, headers, body):
        return (405, {}, b"") if method == "HEAD" else files(method, path, headers, body)

    with FaultServer(reply) as server:
        assert size_of(f"{server.url}/a b.bin") == len(CONTENT)


def test_redirects_lead_to_the_file_and_passwords_stay_behind(root):
    with FaultServer(folder(root)) as other:
        target = other.url.replace("127.0.0.1", "localhost")

        def reply(method, path, headers, body):
            return 302, {"Location": target + path}, b""

        with FaultServer(reply) as server:
            address = conceal(server.url.replace("//", "//me:geheim@") + "/a b.bin")
            assert RemoteFile(address).size == len(CONTENT)
            assert "authorization" in server.headers[0]
        assert all("authorization" not in headers for headers in other.headers)


def test_user_and_password_and_signed_queries_reach_the_server(root):
    with FaultServer(folder(root)) as server:
        address = conceal(server.url.replace("//", "//me:ge%20heim@") + "/a%20b.bin?X-Amz-Signature=abc&x=1")
        assert address == f"{server.url}/a%20b.bin"
        assert RemoteFile(address).size == len(CONTENT)
        login = base64.b64encode(b"me:ge heim").decode()
        assert server.headers[0]["authorization"] == f"Basic {login}"
        assert {path for path, _ in server.asked} == {"/a%20b.bin?X-Amz-Signature=abc&x=1"}


def test_no_error_shows_a_secret():
    address = conceal("http://me:geheim@127.0.0.1:9/x.bin?X-Amz-Signature=abcdef")
    with pytest.raises(Setback) as caught:
        HttpStore().size(address)
    told = repr(caught.value) + str(caught.value) + repr(access_module._access)
    assert "geheim" not in told and "abcdef" not in told
    assert caught.value.__cause__ is None and caught.value.__suppress_context__


@pytest.mark.parametrize("address", ["http://[::bad/x", "https:///x", "https://h:port/x", "https://h:99999/x"])
def test_what_is_no_address_is_refused_at_once(address):
    with pytest.raises(InputError, match="is no address"):
        conceal(address)


def test_sizes_are_asked_for_within_the_cap(root):
    ready = threading.Semaphore(0)
    with FaultServer(folder(root)) as server:
        access_module._access = Access(requests=3, first_wait=0.0)
        server.before_reply = lambda: ready.acquire(timeout=0.05)  # so that requests pile up
        sizes = sizes_of([f"{server.url}/a b.bin", f"{server.url}/none", f"{server.url}/empty.bin"] * 5)
        assert sizes[::3] == [len(CONTENT)] * 5 and sizes[2::3] == [0] * 5
        assert all(isinstance(size, StoreError) for size in sizes[1::3])
        assert server.most_at_once == 3

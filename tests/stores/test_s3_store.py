"""Objects from a stand-in for S3 on loopback, directly and through a server that breaks requests."""

from __future__ import annotations

import random

import pytest

from curation.errors import InputError, StoreError, UnavailableError
from curation.stores import s3
from curation.stores.files import list_below, matching, size_of
from curation.stores.remote import RemoteFile
from tests.stores.fault_server import KINDS, FaultServer, Plan, behind

CONTENT = random.Random(4).randbytes(600_000)


@pytest.fixture(scope="module")
def objects(bucket):
    """A bucket with a few objects."""
    client, name = bucket
    for key, body in {"a/x.bin": CONTENT, "a/b/y.bin": b"y", "a/empty": b"", "a c/é.bin": b"z"}.items():
        client.put_object(Bucket=name, Key=key, Body=body)
    client.put_object(Bucket=name, Key="open", Body=b"1234", ACL="public-read")
    for number in range(25):
        client.put_object(Bucket=name, Key=f"many/{number:04}", Body=b"")
    return f"s3://{name}"


@pytest.mark.parametrize("kind", KINDS)
def test_exact_bytes_although_half_of_the_requests_fail(objects, s3_at, moto, kind):
    with FaultServer(behind(moto), Plan(share=0.5, kinds=(kind,), seed=2)) as server:
        s3_at(server.url)
        address = f"{objects}/a/x.bin"
        assert size_of(address) == len(CONTENT)
        file = RemoteFile(address)
        assert b"".join(file.read(start, 50_000) for start in range(0, len(CONTENT), 50_000)) == CONTENT
        assert server.failed[kind] > 2


def test_one_connection_serves_one_reader(objects, s3_at, moto):
    with FaultServer(behind(moto)) as server:
        s3_at(server.url)
        file = RemoteFile(f"{objects}/a/x.bin")
        for start in range(0, len(CONTENT), 50_000):
            file.read(start, 50_000)
        assert server.connections == 1


def test_odd_names_and_empty_objects(objects, s3_at, moto):
    s3_at(moto)
    assert RemoteFile(f"{objects}/a c/é.bin").head == b"z"
    assert RemoteFile(f"{objects}/a/empty").size == 0


def test_lists_of_more_than_a_page_come_whole_although_requests_fail(objects, s3_at, moto, monkeypatch):
    monkeypatch.setattr(s3, "LISTED_AT_ONCE", 10)
    with FaultServer(behind(moto), Plan(share=0.4, kinds=("503", "slowdown", "reset"), seed=3)) as server:
        s3_at(server.url)
        assert [place for place, _ in list_below(f"{objects}/many/")] == [f"{objects}/many/{n:04}" for n in range(25)]
        assert list(list_below(f"{objects}/a", folders=True)) == [(f"{objects}/a c/", 0), (f"{objects}/a/", 0)]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [("a/*.bin", ["a/x.bin"]), ("a/**/*.bin", ["a/b/y.bin", "a/x.bin"]), ("a/?.bin", ["a/x.bin"]),
     ("*/[!y]*.bin", ["a c/é.bin", "a/x.bin"]), ("none/*", [])],
)  # fmt: skip
def test_globs(objects, s3_at, moto, pattern, found):
    s3_at(moto)
    assert matching(f"{objects}/{pattern}") == [f"{objects}/{key}" for key in found]


def test_an_object_that_changes_between_two_reads(objects, s3_at, moto, bucket):
    client, name = bucket
    s3_at(moto)
    client.put_object(Bucket=name, Key="changing", Body=CONTENT)
    file = RemoteFile(f"{objects}/changing")
    client.put_object(Bucket=name, Key="changing", Body=CONTENT[::-1])
    with pytest.raises(StoreError, match="content changed"):
        file.read(300_000, 10)


def test_what_is_not_there_is_named(objects, s3_at, moto):
    s3_at(moto)
    for address in (f"{objects}/a/none", "s3://no-such-bucket/x"):
        with pytest.raises(StoreError, match=f"{address}: there is no such file"):
            RemoteFile(address)


@pytest.mark.parametrize(("status", "error"), [(403, StoreError), (503, UnavailableError)])
def test_what_is_refused_is_named_with_what_to_do(objects, s3_at, moto, status, error):
    with FaultServer(behind(moto), Plan(always={"/a/x.bin": status})) as server:
        s3_at(server.url)
        with pytest.raises(error, match=f"{objects}/a/x.bin: .*{status}") as caught:
            RemoteFile(f"{objects}/a/x.bin")
        if status == 403:
            assert "the keys that were found give no right" in str(caught.value)


def test_requests_are_signed_where_keys_are_found_and_anonymous_elsewhere(objects, s3_at, moto, monkeypatch):
    with FaultServer(behind(moto)) as server:
        s3_at(server.url)
        size_of(f"{objects}/a/x.bin")
        assert "AWS4-HMAC-SHA256" in server.headers[-1]["authorization"]
        s3_at(server.url, keys=False)
        assert size_of(f"{objects}/open") == 4
        assert "authorization" not in server.headers[-1]
        s3_at(server.url)
        monkeypatch.setenv(s3.ANONYMOUS, "1")
        s3.forget_clients()
        assert size_of(f"{objects}/open") == 4
        assert "authorization" not in server.headers[-1]


def test_what_needs_keys_says_so_where_none_are_found(objects, s3_at, moto):
    s3_at(moto, keys=False)
    with pytest.raises(StoreError, match="a/x.bin: .*403.*no AWS keys were found.*AWS_ACCESS_KEY_ID"):
        size_of(f"{objects}/a/x.bin")


def test_commoncrawl_without_keys_is_told_the_way_out(s3_at):
    with FaultServer(lambda *request: (403, {}, b"")) as server:
        s3_at(server.url, keys=False)
        with pytest.raises(StoreError, match=r"commoncrawl/x: .*403.*https://data.commoncrawl.org"):
            size_of("s3://commoncrawl/x")


def test_no_key_is_in_an_error(s3_at):
    s3_at("http://127.0.0.1:9")
    with pytest.raises(UnavailableError) as caught:
        size_of("s3://bucket/x")
    assert "geheim" not in str(caught.value) and "EndpointConnectionError" in str(caught.value)


def test_an_address_without_a_bucket():
    with pytest.raises(InputError, match="names no bucket"):
        size_of("s3:///x")

"""What of an address is shown, what is kept secret, and what is no store."""

from __future__ import annotations

import pickle

import pytest

from curation.errors import InputError, RecipeError
from curation.recipe.run_files import Cluster, cluster_with
from curation.stores import access as access_module
from curation.stores.access import Access, Secret, access, conceal, is_remote, public, secret_of, use


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("https://data.example/a/b.warc.gz", "https://data.example/a/b.warc.gz"),
        ("HTTPS://data.example/a", "https://data.example/a"),
        ("https://me:pw@data.example/a", "https://data.example/a"),
        ("https://me:p%40w@data.example:8443/a@b?sig=1#x", "https://data.example:8443/a@b"),
        ("https://data.example?sig=1", "https://data.example"),
        ("s3a://bucket/key?1", "s3://bucket/key?1"),
        ("s3n://bucket", "s3://bucket"),
    ],
)
def test_the_public_form(given, shown):
    assert public(given) == shown
    assert conceal(given) == shown
    assert public(shown) == shown


def test_a_secret_holds_for_what_lies_below_and_for_nothing_else():
    conceal("https://me:pw@data.example/crawls/one?sig=1")
    secret = Secret("me", "pw", "sig=1")
    assert secret_of("https://data.example/crawls/one") == secret
    assert secret_of("https://data.example/crawls/one/a/b.warc.gz") == secret
    for other in (
        "https://data.example/crawls/one2",
        "https://data.example/crawls",
        "https://other.example/crawls/one",
    ):
        assert secret_of(other) == Secret()


def test_the_closest_secret_counts_and_a_fresh_one_replaces_the_old():
    conceal("https://me:pw@data.example")
    conceal("https://data.example/a?sig=1")
    conceal("https://data.example/a?sig=2")
    assert secret_of("https://data.example/a/x").query == "sig=2"
    assert secret_of("https://data.example/b/x").user == "me"


def test_secrets_travel_with_the_access_but_are_never_printed():
    conceal("https://me:geheim@data.example/a?sig=abcdef")
    there = pickle.loads(pickle.dumps(access()))
    access_module._access = Access()
    use(there)
    assert secret_of("https://data.example/a").password == "geheim"
    told = f"{there!r} {there} {there.secrets!r}"
    assert "geheim" not in told and "abcdef" not in told and "me:" not in told


def test_keys_in_an_s3_address_are_refused_without_being_shown():
    with pytest.raises(InputError) as caught:
        conceal("s3://AKIA:geheim@bucket/key")
    assert "geheim" not in str(caught.value) and "AWS_ACCESS_KEY_ID" in str(caught.value)


@pytest.mark.parametrize("address", ["gs://b/k", "hdfs://h/k", "ftp://h/k", "abfs://c@a/k"])
def test_other_stores_are_refused_by_name(address):
    with pytest.raises(InputError, match=address.split(":")[0]):
        is_remote(address)


@pytest.mark.parametrize("path", ["/data/a", "a/b.warc.gz", "C:/x", "data/http:/x", ""])
def test_paths_are_no_stores(path):
    assert not is_remote(path)


def test_how_stores_are_asked_stands_in_the_cluster_file(tmp_path):
    file = tmp_path / "cluster.yaml"
    file.write_text("remote: {requests: 5, longest_wait: 2}\n")
    remote = cluster_with(str(file), partitions=3).remote
    assert Access(**remote.model_dump()) == Access(requests=5, tries=10, first_wait=1.0, longest_wait=2.0)
    assert Access(**Cluster().remote.model_dump()) == Access()
    file.write_text("remote: {request: 5, tries: 0}\n")
    with pytest.raises(RecipeError) as caught:
        cluster_with(str(file))
    assert "request" in str(caught.value) and "tries" in str(caught.value)

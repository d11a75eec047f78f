"""Quick patience for all tests of this folder, a stand-in for S3 on loopback, and no look for keys elsewhere."""

from __future__ import annotations

import pytest

from curation.stores import access as access_module
from curation.stores import s3
from curation.stores.access import Access

_KEYS = {"AWS_ACCESS_KEY_ID": "AKIATEST", "AWS_SECRET_ACCESS_KEY": "geheim"}


@pytest.fixture(autouse=True)
def quick(monkeypatch, tmp_path):
    """Ten tries without waits; no secret of one test is known to another; only loopback is asked."""
    monkeypatch.setattr(access_module, "_access", Access(first_wait=0.0, longest_wait=0.0))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")


@pytest.fixture(scope="session")
def moto():
    """Address of a stand-in for S3."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(scope="session")
def bucket(moto):
    """A client to fill the stand-in with, and the name of a bucket."""
    import botocore.session

    client = botocore.session.get_session().create_client(
        "s3", region_name="us-east-1", endpoint_url=moto, aws_access_key_id="k", aws_secret_access_key="s"
    )
    client.create_bucket(Bucket="crawls")
    return client, "crawls"


@pytest.fixture
def s3_at(monkeypatch):
    """Sets the endpoint of S3, with or without keys, for this process and the processes it starts."""

    def set_endpoint(url: str, keys: bool = True) -> None:
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        for name, value in _KEYS.items():
            if keys:
                monkeypatch.setenv(name, value)
            else:
                monkeypatch.delenv(name, raising=False)
        s3.forget_clients()

    yield set_endpoint
    s3.forget_clients()

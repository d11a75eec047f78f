"""One request to S3 or a store that speaks its language: a range of an object, its size, a list of objects.

botocore signs the requests, with keys from where it always looks (environment, ~/.aws, instance role), and honours
AWS_ENDPOINT_URL, AWS_REGION, AWS_CA_BUNDLE and the like. Its own retries are off: patience is the caller's part.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from curation.errors import InputError
from curation.stores.http import CONNECT_SECONDS, READ_SECONDS, Answer
from curation.stores.retry import DOUBTFUL, FINAL, Setback, refusal

ANONYMOUS = "CURATION_S3_ANONYMOUS"  # set to 1: requests are not signed although keys can be found
LISTED_AT_ONCE = 1000  # the most that S3 gives in one answer
_PIECE = 1 << 16
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")


class S3Store:
    """s3://BUCKET/KEY."""

    def get(self, address: str, start: int, stop: int, tag: str) -> Answer:
        """Bytes [start, stop) of the version `tag` where one is given."""
        bucket, key = bucket_and_key(address)
        asked = {"Bucket": bucket, "Key": key, "Range": f"bytes={start}-{stop - 1}"}
        if tag:
            asked["IfMatch"] = tag
        try:
            found = _ask("get_object", **asked)
        except _EmptyRange:
            if start == 0 and self.size(address) == 0:
                return Answer(0, 0, "", iter(()))
            raise Setback(f"there is no byte {start}; the object may have changed", DOUBTFUL) from None
        match = _RANGE.fullmatch(found.get("ContentRange", ""))
        if match:
            first, size = int(match.group(1)), int(match.group(3))
        else:
            first, size = 0, found["ContentLength"]
        return Answer(first, size, found.get("ETag", ""), _pieces(found["Body"]), found["Body"].close)

    def size(self, address: str) -> int:
        """Bytes of the object, without reading it."""
        bucket, key = bucket_and_key(address)
        return _ask("head_object", Bucket=bucket, Key=key)["ContentLength"]

    def page(
        self, address: str, after: str | None, *, folders: bool = False
    ) -> tuple[list[tuple[str, int]], str | None]:
        """Up to LISTED_AT_ONCE (address, bytes) below `address`, and what to give as `after` for the next ones.

        With `folders` names only go up to the next slash; those that end in it are folders and have 0 bytes.
        """
        bucket, prefix = bucket_and_key(address)
        asked = {"Bucket": bucket, "Prefix": prefix, "MaxKeys": LISTED_AT_ONCE}
        if folders:
            asked["Delimiter"] = "/"
        if after is not None:
            asked["ContinuationToken"] = after
        found = _ask("list_objects_v2", **asked)
        below = [(f"s3://{bucket}/{one['Prefix']}", 0) for one in found.get("CommonPrefixes", ())]
        below += [(f"s3://{bucket}/{one['Key']}", one["Size"]) for one in found.get("Contents", ())]
        return below, found.get("NextContinuationToken")


def bucket_and_key(address: str) -> tuple[str, str]:
    """Bucket and key of an s3:// address.

    >>> bucket_and_key("s3://commoncrawl/crawl-data/x")
    ('commoncrawl', 'crawl-data/x')
    """
    bucket, _, key = address.removeprefix("s3://").partition("/")
    if not bucket:
        raise InputError(f"{address} names no bucket: write s3://BUCKET/KEY")
    return bucket, key


class _EmptyRange(Exception):
    """The range that was asked for lies behind the end of the object."""


def _ask(operation: str, **asked: Any) -> dict[str, Any]:
    from botocore import exceptions

    client = _client(os.getpid())
    try:
        return getattr(client, operation)(**asked)
    except exceptions.ClientError as error:
        answer = error.response.get("ResponseMetadata", {})
        status, code = answer.get("HTTPStatusCode", 0), error.response.get("Error", {}).get("Code", "")
        if status == 416 or code == "InvalidRange":
            raise _EmptyRange from None
        if status == 412 or code == "PreconditionFailed":
            raise Setback("its content changed between two requests", DOUBTFUL) from None
        code = "" if code == str(status) else code
        raise refusal(status, code, answer.get("HTTPHeaders", {}).get("retry-after"), _hint(status, asked)) from None
    except (exceptions.BotoCoreError, exceptions.HTTPClientError, OSError) as error:
        raise _broken(error) from None


def _broken(error: Exception) -> Setback:
    from botocore import exceptions

    broke = (exceptions.ConnectionError, exceptions.HTTPClientError, exceptions.ResponseStreamingError)
    if isinstance(error, (OSError, exceptions.IncompleteReadError, *broke)):
        return Setback(f"the connection broke ({type(error).__name__})")
    if isinstance(error, exceptions.ParamValidationError):
        return Setback("this is no address of an object in S3", FINAL)
    # What is wrong with the settings: keys that cannot be loaded, a profile that does not exist. No key is in these.
    return Setback(f"botocore refuses ({type(error).__name__}): {error}", FINAL)


def _pieces(body: Any) -> Iterator[bytes]:
    import urllib3
    from botocore import exceptions

    try:
        while piece := body.read(_PIECE):
            yield piece
    except (exceptions.BotoCoreError, urllib3.exceptions.HTTPError, OSError) as error:
        raise Setback(f"the connection broke ({type(error).__name__})") from None


def _hint(status: int, asked: dict[str, Any]) -> str:
    if status not in (401, 403):
        return ""
    if _signs():
        return "the keys that were found give no right to read it"
    if asked["Bucket"] == "commoncrawl":
        return (
            "no AWS keys were found, and this bucket answers only to signed requests: set AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY, or read https://data.commoncrawl.org"
        )
    return "no AWS keys were found, so the request was anonymous: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"


def _signs() -> bool:
    return _session(os.getpid())[1]


@cache
def _session(process: int) -> tuple[Any, bool]:
    try:
        import botocore.session
    except ImportError:
        raise InputError("s3:// needs botocore: install the extra s3, pip install 'curation[s3]'") from None
    session = botocore.session.get_session()
    anonymous = os.environ.get(ANONYMOUS, "") not in ("", "0")
    return session, not anonymous and session.get_credentials() is not None


@cache
def _client(process: int) -> Any:
    """A client for each process: a connection that a fork copied would be read by two."""
    import botocore
    from botocore.config import Config

    session, signed = _session(process)
    own_endpoint = any(os.environ.get(name) for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"))
    config = Config(
        signature_version=None if signed else botocore.UNSIGNED,
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        retries={"total_max_attempts": 1},
        max_pool_connections=64,
        s3={"addressing_style": "path"} if own_endpoint else None,  # few stores have a host per bucket
        response_checksum_validation="when_required",  # a range has no checksum of its own
    )
    region = session.get_config_variable("region") or "us-east-1"
    return session.create_client("s3", region_name=region, config=config)


def forget_clients() -> None:
    """The next request looks at keys and settings anew."""
    _session.cache_clear()
    _client.cache_clear()

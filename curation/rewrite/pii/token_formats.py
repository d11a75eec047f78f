"""The open table of credentials that can be told by their own form: what they begin with, and their shape.

A format is added by one line. `opening` is what the scan looks for; `shape` is matched `back` characters before it.
Each shape is bounded. Sources: the documentation of each service, and the patterns that secret scanning supports,
https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Format(NamedTuple):
    """A credential that begins with one of `openings`; group 1 of `shape` is masked."""

    name: str
    openings: tuple[str, ...]
    shape: re.Pattern[str]
    back: int = 0


def _format(name: str, openings: str, shape: str, *, lead: str = "", back: int = 0) -> Format:
    return Format(name, tuple(openings.split()), re.compile(f"{lead}({shape})(?![A-Za-z0-9])"), back)


_WORD = "[A-Za-z0-9_-]"
TOKEN_FORMATS = (
    _format("AWS access key", "AKIA ASIA", "A[KS]IA[A-Z2-7]{16}"),
    _format("Google API key", "AIza", f"AIza{_WORD}{{35}}"),
    _format("Google OAuth", "GOCSPX- ya29.", f"GOCSPX-{_WORD}{{28}}|ya29\\.{_WORD}{{30,400}}"),
    _format("Azure storage", "AccountKey=", "[A-Za-z0-9+/]{86}==", lead="AccountKey="),
    _format("Azure application", "Q~", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", back=4),
    _format("GitHub", "ghp_ gho_ ghu_ ghs_ ghr_", "gh[pousr]_[A-Za-z0-9]{36,255}"),
    _format("GitHub fine-grained", "github_pat_", "github_pat_[A-Za-z0-9_]{82}"),
    _format("GitLab", "glpat- gldt- glrt-", f"gl(?:pat|dt|rt)-{_WORD}{{20,64}}"),
    _format("Slack", "xoxb- xoxp- xoxa- xoxr- xoxs- xapp-", "(?:xox[bpars]|xapp)-[A-Za-z0-9-]{10,200}"),
    _format("Slack hook", "hooks.slack.com/services/", r"hooks\.slack\.com/services/[A-Za-z0-9/]{30,80}"),
    _format("Stripe", "sk_live_ rk_live_ sk_test_ rk_test_", "[sr]k_(?:live|test)_[A-Za-z0-9]{16,128}"),
    _format("Stripe hook", "whsec_", "whsec_[A-Za-z0-9]{24,64}"),
    _format("OpenAI and alike", "sk-", f"sk-(?=[A-Za-z_-]{{0,64}}[0-9]){_WORD}{{24,256}}"),
    _format("npm", "npm_", "npm_[A-Za-z0-9]{36}"),
    _format("PyPI", "pypi-AgE", f"pypi-AgE{_WORD}{{50,400}}"),
    _format("Hugging Face", "hf_", "hf_[A-Za-z0-9]{30,64}"),
    _format("SendGrid", "SG.", rf"SG\.{_WORD}{{22}}\.{_WORD}{{43}}"),
    _format("Twilio", "SK AC", "(?:SK|AC)[0-9a-f]{32}"),
    _format("Mailgun", "key-", "key-[0-9a-f]{32}"),
    _format("Telegram", ":AA", f"[0-9]{{10}}:AA{_WORD}{{33}}", back=10),
    _format("DigitalOcean", "dop_v1_ doo_v1_", "do[op]_v1_[0-9a-f]{64}"),
    _format("Shopify", "shpat_ shpca_ shppa_ shpss_", "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _format("Databricks", "dapi", "dapi[0-9a-f]{32}"),
    _format("Docker", "dckr_pat_", f"dckr_pat_{_WORD}{{27}}"),
    _format("Vault", "hvs. hvb.", rf"hv[sb]\.{_WORD}{{24,300}}"),
    _format("Square", "sq0atp- sq0csp-", f"sq0(?:atp|csp)-{_WORD}{{22,43}}"),
    # RFC 7519: header and claims are JSON objects in base64url, so both begin with eyJ
    _format("JSON Web Token", "eyJ", rf"eyJ{_WORD}{{10,4096}}\.eyJ{_WORD}{{4,8192}}\.{_WORD}{{10,1024}}"),
    _format("bearer token", "Bearer", "(?=[A-Za-z._~+/-]{0,64}[0-9])[A-Za-z0-9._~+/-]{20,2048}={0,2}", lead="Bearer "),
    _format("basic authorization", "Basic", "[A-Za-z0-9+/]{12,512}={1,2}", lead="Basic "),
)

"""Credentials: by form, by the word before them, and what only looks like one."""

from __future__ import annotations

import time

import pytest

from curation.rewrite.pii import CREDENTIAL, mask_text
from curation.rewrite.pii.token_formats import TOKEN_FORMATS

A = "aB3xQ9rT5mZk2LwV8sYj4NpH7cDg6Fu1" * 8  # letters and digits of any length
H = "0123456789abcdef" * 4
TOKENS = {
    "AWS access key": ["AKIAQYLPMN5HHHFPZAM2"],
    "Google API key": ["AIza" + A[:35]],
    "Google OAuth": ["GOCSPX-" + A[:28], "ya29." + A[:60]],
    "Azure storage": ["AccountKey=" + A[:86] + "=="],
    "Azure application": ["abc8Q~" + A[:33]],
    "GitHub": ["ghp_" + A[:36], "ghs_" + A[:36]],
    "GitHub fine-grained": ["github_pat_" + A[:82]],
    "GitLab": ["glpat-" + A[:20]],
    "Slack": ["xoxb-123456789012-1234567890123-" + A[:24]],
    "Slack hook": ["https://hooks.slack.com/services/T01234567/B01234567/" + A[:24]],
    "Stripe": ["sk_live_" + A[:24], "rk_test_" + A[:24]],
    "Stripe hook": ["whsec_" + A[:32]],
    "OpenAI and alike": ["sk-" + A[:48], "sk-proj-" + A[:60], "sk-ant-api03-" + A[:90]],
    "npm": ["npm_" + A[:36]],
    "PyPI": ["pypi-AgEIcHlwaS5vcmc" + A[:100]],
    "Hugging Face": ["hf_" + A[:34]],
    "SendGrid": ["SG." + A[:22] + "." + A[:43]],
    "Twilio": ["SK" + H[:32]],
    "Mailgun": ["key-" + H[:32]],
    "Telegram": ["1234567890:AA" + A[:33]],
    "DigitalOcean": ["dop_v1_" + H[:64]],
    "Shopify": ["shpat_" + H[:32]],
    "Databricks": ["dapi" + H[:32]],
    "Docker": ["dckr_pat_" + A[:27]],
    "Vault": ["hvs." + A[:24]],
    "Square": ["sq0atp-" + A[:22]],
    "JSON Web Token": ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + A[:43]],
    "bearer token": ["Bearer " + A[:40]],
    "basic authorization": ["Basic dXNlcjpwYXNzd29yZDE="],
}


def test_every_format_of_the_table_has_its_examples():
    assert [form.name for form in TOKEN_FORMATS] == list(TOKENS)


@pytest.mark.parametrize("token", [t for tokens in TOKENS.values() for t in tokens])
def test_token_is_masked_between_words_and_quotes_and_not_inside_a_word(token):
    for frame in ("use {} now", '"{}"', "({})", "{}.", "\u5bc6{}\u94a5"):
        masked, counts = mask_text(frame.format(token), ["credential"])
        assert counts == {"credential": 1}
        assert CREDENTIAL in masked
        assert token[-16:] not in masked
    assert mask_text(f"z{token}", ["credential"])[1] == {} or token.startswith(("https", "Account"))


KEY = "\n".join([A[:64]] * 5)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"a\n-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n-----END RSA PRIVATE KEY-----\nb", f"a\n{CREDENTIAL}\nb"),
        (f"-----BEGIN PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{KEY}\n-----END PRIVATE KEY-----", CREDENTIAL),
        (f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n{KEY}\n-----END PGP PRIVATE KEY BLOCK-----", CREDENTIAL),
        (f"-----BEGIN EC PRIVATE KEY-----\n{KEY}\nThe end is lost.", f"{CREDENTIAL}\nThe end is lost."),
        (f"-----BEGIN CERTIFICATE-----\n{KEY}\n-----END CERTIFICATE-----", None),
        ("ftp://jo:s3cret@site.org/x", f"ftp://jo:{CREDENTIAL}@site.org/x"),
        ("postgres://:pw@localhost:5432", f"postgres://:{CREDENTIAL}@localhost:5432"),
        ("https://site.org:8080/@jo", None),
        ("password: hunter2", f"password: {CREDENTIAL}"),
        ("Password is Tr0ub4dor&3.", f"Password is {CREDENTIAL}&3."),
        ("DB_PASSWORD='p4ssw0rd!'", f"DB_PASSWORD='{CREDENTIAL}!'"),
        ('{"password": "abc123xyz"}', f'{{"password": "{CREDENTIAL}"}}'),
        ("\u5bc6\u7801\uff1aabc12345", f"\u5bc6\u7801\uff1a{CREDENTIAL}"),
        ("mot de passe : soleil42", f"mot de passe : {CREDENTIAL}"),
        (f"API key: {H[:32]}", f"API key: {CREDENTIAL}"),
        (f"aws_secret_access_key = {A[:40]}", f"aws_secret_access_key = {CREDENTIAL}"),
        (f"client_secret={A[:32]}&scope=x", f"client_secret={CREDENTIAL}&scope=x"),
    ],
)
def test_secrets_are_masked_by_their_frame(text, masked):
    assert mask_text(text, ["credential"])[0] == (masked or text)


@pytest.mark.parametrize(
    "text",
    [
        *("Password: required", "password must have 8 characters", "password: ********", "password: $PASSWORD1"),
        *("password: your-password-1", "Forgot password? Step 2 of 3", "token: ERC20", "secret: family-recipe-no-1"),
        *("api_key: YOUR_API_KEY_GOES_HERE1", "token expired 2024-10-12T10:20:30Z", "secret = aaaaaaaaaaaaaaaaaaaa1"),
        *(f"sha256 {H}", f"commit {H[:40]}", "AKIAIOSFODNN7EXAMPLE", "task-force-of-the-ministry-for-2024-and-later"),
        *("sk-learn", "MASK", "BASIC", "npm_config_registry", "hf_hub", "eyJust.a.name", "key-value"),
    ],
)
def test_what_is_no_secret_stays(text):
    assert mask_text(text, ["credential"]) == (text, {})


@pytest.mark.parametrize(
    "text",
    [
        "eyJ" * 300_000,
        "eyJaaaaaaaaaaaaaa." * 50_000,
        "-----BEGIN RSA PRIVATE KEY-----" * 30_000,
        "-----BEGIN RSA PRIVATE KEY-----" + "a" * 1_000_000,
        "password: " * 100_000,
        "token=" + "a1" * 500_000,
        "://a:b" * 200_000,
        "SG." * 300_000,
        "tel 212 736 5000 " * 30_000,
        "4111 " * 200_000,
        "DE89 " * 200_000,
        "1" * 1_000_000,
        "(1" * 500_000,
    ],
    ids=lambda text: text[:16],
)
def test_hostile_text_takes_linear_time_with_all_kinds(text):
    start = time.process_time()
    mask_text(text)
    assert time.process_time() - start < 10  # seconds for a megabyte; 0.1 to 1 s on a free core

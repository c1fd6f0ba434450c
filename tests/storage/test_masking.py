"""Secrets are covered, ordinary text is not."""

from __future__ import annotations

import base64
import json
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.storage import masking
from workbench.storage.masking import SHAPES, Masker, is_secret_variable
from workbench.storage.plain import to_plain

KEYS = [
    "sk-proj-abcdefghij0123456789ABCDEF",
    "sk-ant-api03-abcdefghij0123456789",
    "ghp_" + "a1" * 18,
    "github_pat_" + "a1" * 18,
    "AKIAIOSFODNN7EXAMPLE",
    "AIza" + "a1b2c3d" * 5,
    "xoxb-123456789-abcdef",
    "hf_" + "aB" * 17,
    "glpat-abcdefgh12345678",
    "eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeK",
]
ORDINARY = [
    "task-sk-abcdefghij0123456789ABCDEF",
    "scikit sk-learn-is-a-library-of-note",
    "the bearer of this letter is responsible for the token economy",
    'api_key = os.environ["OPENAI_API_KEY"]',
    "http://localhost:8000/a@b",
    "password: see the vault",
    "a hash: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
]
PROSE = [
    "the password is required",
    "Password: at least 8 characters, or 12-character passphrases",
    "password: required; secret: see section 4b of the manual",
    "--- PASS: TestLogin2Works (0.00s)",
    "PASS: test_login2_works, pass: 12 of 13, PASS=120",
    "PWD=/home/me2/project OLDPWD=/tmp/a1b2c3d4",
    "connect(password=get_password1(), token=self.token_2, secret=os.environ['S3'])",
    '{"password": {"type": "string"}, "token": "required", "secret": "the secret of page 12"}',
    "def login(password: str, token: str | None = None, secret: bytes = b'')",
    "DB_PASS=$OTHER_PASS1 DB_PASS=${PASS1} DB_PASS=<your-pass-1> API_KEY=YOUR_API_KEY",
    "max_tokens=4096, token: identifier1, tokens: 123456789, next_token=CAES1234567890123456",
    "primary key: id12345678, key: value1234567, monkey=abc12345, keyboard: azerty12345",
    "author: someone12345, bypass=abc12345x, compass: north12345, authority=level12345",
    "the token economy: 12 pages; auth: oauth2 provider; credentials: see wiki2024",
    "git@github.com:me/project1.git at 12:30:45, x == 1: y1234567",
]
SETTINGS = [
    "DB_PASS={}",
    'export DB_PASS="{}"',
    "PGPASSWORD={} SSHPASS={} psql",
    "DB_PWD={}",
    "password={}",
    "password = {}",
    "password: {}",
    "db_pass: {}",
    "dbPass={}",
    "Passwd => '{}'",
    "Server=db;User=me;Password={};Timeout=5",
    '{{"password": "{}", "port": 5432}}',
    '{{"api_key": "{}"}}',
    "apiKey: {}",
    "X-Api-Key: {}",
    'os.environ["DB_PASS"] = "{}"',
    'password: str = "{}"',
    "client_secret={}",
    "AWS_SECRET_ACCESS_KEY={}",
    "AccountKey={};EndpointSuffix=net",
    "token={}",
    '{{"token": "{}"}}',
    "access_token={}",
    "//registry/:_authToken={}",
    "Authorization: Bearer {}",
    "AUTHORIZATION: bearer {}",
    "authorization: {}",
    "postgres://me:{}@db/x",
    "https://me:{}@db.example/x?password={}&x=1",
]
WORDS = [
    *("the", "password", "token", "is", "required:", "see", "secret", "=", "of", "a", "key", "/", "pass,"),
    *("(author)", "and", "12", "'auth'", '"api"'),
]


@pytest.mark.parametrize("secret", KEYS)
@pytest.mark.parametrize("around", ["{}", "key: {}.", '{{"k": "{}"}}', "line\n{}\nline"])
def test_texts_shaped_like_keys_are_covered(secret: str, around: str) -> None:
    text = around.format(secret)
    for written in (text, json.dumps({"text": text})):
        assert secret not in Masker({})(written)


@pytest.mark.parametrize("text", ORDINARY + PROSE)
def test_ordinary_text_stays(text: str) -> None:
    assert Masker({})(text) is text


@pytest.mark.parametrize(
    ("header", "secret"),
    [
        ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
        ('{"authorization": "Bearer abcdef0123456789"}', "abcdef0123456789"),
        ("x-api-key: 0123456789abcdef", "0123456789abcdef"),
        ('{\\"X-Api-Key\\": \\"0123456789abcdef\\"}', "0123456789abcdef"),
        ("postgres://me:hunter2@db/x", "hunter2"),
        ("-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----", "MIIabc"),
    ],
)
def test_secrets_in_headers_addresses_and_key_files_are_covered(header: str, secret: str) -> None:
    masked = Masker({})(header)
    assert secret not in masked
    assert masked.startswith(header.split(secret)[0].strip())


def test_only_long_values_of_variables_with_telling_names_are_covered() -> None:
    environ = {
        "OPENAI_API_KEY": "value-one-1",
        "HF_TOKEN": "value-two-2",
        "DB_PASSWORD": "short",
        "EDITOR": "value-three-3",
        "KEYBOARD_LAYOUT": "international",
        "SSH_KEY_PATH": "/home/me/.ssh/id",
        "TOKENIZERS_PARALLELISM": "value-four-4",
    }
    text = "value-one-1 value-two-2 short value-three-3 international /home/me/.ssh/id value-four-4"
    assert Masker(environ)(text) == text.replace("value-one-1", "[masked OPENAI_API_KEY]").replace(
        "value-two-2", "[masked HF_TOKEN]"
    )


def test_a_variable_that_is_set_later_is_covered_after_a_refresh() -> None:
    environ: dict[str, str] = {}
    mask = Masker(environ)
    environ["LATE_SECRET"] = "late-value-9"
    assert mask("late-value-9") == "late-value-9"
    mask.refresh()
    assert mask("late-value-9") == "[masked LATE_SECRET]"


@given(value=st.text(min_size=8, max_size=30), depth=st.integers(0, 2), ascii_only=st.booleans())
def test_a_value_is_covered_also_inside_json(value: str, depth: int, ascii_only: bool) -> None:
    value = "§1" + value.strip() + "1§"
    text = value
    for _ in range(depth):
        text = json.dumps(text, ensure_ascii=ascii_only)
    masked = Masker({"A_KEY": value})(text)
    assert "[masked A_KEY]" in masked
    for _ in range(depth):
        masked = json.loads(masked)
    assert masked == "[masked A_KEY]"


@given(
    before=st.text(max_size=40),
    setting=st.sampled_from(SETTINGS),
    secret=st.from_regex(r"[A-Za-z]{1,8}[0-9][A-Za-z0-9]{6,20}", fullmatch=True),
    after=st.text(max_size=40),
    depth=st.integers(0, 2),
)
def test_a_secret_in_a_setting_never_survives(
    before: str, setting: str, secret: str, after: str, depth: int
) -> None:
    text = f"{before}\n{setting.format(*[secret] * 2)} {after}"
    for _ in range(depth):
        text = json.dumps(text)
    masked = Masker({})(text)
    assert secret not in masked.replace(before, "").replace(after, "")
    assert Masker({})(masked) == masked


@given(st.lists(st.one_of(st.sampled_from(WORDS), st.from_regex(r"[a-z]{1,12}", fullmatch=True))))
def test_text_of_ordinary_words_is_unchanged(words: list[str]) -> None:
    text = " ".join(words)
    assert Masker({})(text) is text


@pytest.mark.parametrize("setting", ["PASSWORD={}", "export DB_PASS={}", "DB_PWD='{}'"])
def test_a_password_of_letters_only_is_covered_where_a_shell_sets_it(setting: str) -> None:
    assert "correcthorse" not in Masker({})(setting.format("correcthorse"))


def test_the_name_of_an_argument_counts_for_its_value() -> None:
    mask = Masker({})
    plain = {
        "password": "hunter2hunter2",
        "headers": {"Authorization": "Bearer abc12345", "x-api-key": "k1234567"},
    }
    assert to_plain(plain, mask) == {
        "password": "[masked key]",
        "headers": {"Authorization": "Bearer [masked key]", "x-api-key": "[masked key]"},
    }
    other = {"password": "required", "path": "hunter2hunter2", "page_token": "abc123456789"}
    assert to_plain(other, mask) == other


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("DB_PASS", "hunter2hunter2", True),
        ("SSHPASS", "correcthorse", True),
        ("PASS_PROD", "correcthorse", True),
        ("GPG_PASSPHRASE", "correct horse", True),
        ("MYSQL_PWD", "correcthorse", True),
        ("AWS_CREDENTIALS", "abcd1234", True),
        ("REGISTRY_AUTH", "bWU6c2VjcmV0Cg1", True),
        ("PWD", "hunter2hunter2", False),
        ("OLDPWD", "hunter2hunter2", False),
        ("COMPASS_MODE", "north-by-west", False),
        ("PASSENGER_APP_ENV", "production", False),
        ("PASS_THROUGH", "everything", False),
        ("PGPASSFILE", "pgpass-of-me", False),
        ("GIT_AUTHOR_NAME", "Somebody Else", False),
        ("HTTP_AUTH", "required", False),
        ("DESKTOP_SESSION", "plasmawayland", False),
        ("SSH_AUTH_SOCK", "/tmp/ssh-1/agent.2", False),
    ],
)
def test_the_name_of_a_variable_tells_whether_its_value_is_secret(
    name: str, value: str, secret: bool
) -> None:
    assert is_secret_variable(name, value) is secret


def plainly(text: str) -> str:
    """What is covered when every pattern is simply tried everywhere, one after the other."""

    def cover(match: re.Match[str]) -> str:
        start, end = (at - match.start() for at in match.span("secret"))
        return f"{match[0][:start]}[masked key]{match[0][end:]}"

    for _, pattern in SHAPES:
        text = pattern.sub(cover, text)
    return text


PIECES = [
    *KEYS,
    *(needle for needle, _ in SHAPES),
    *(needle + "a1B2c3D4" * 5 for needle, _ in SHAPES),
    *(f"x_{needle}: a1B2c3D4e5F6g7H8" for needle, _ in SHAPES),
    *(f'"X-{needle}s": "a1B2c3D4e5F6g7H8"' for needle, _ in SHAPES),
    *(setting.format("hunter2hunter2", "x1y2z3x1y2z3") for setting in SETTINGS),
    *("passphrase: hunter2hunter2", "passcode=a1b2c3d4", "credentials='a1b2c3d4'", "PASSPHRASE=correcthorse"),
    *("paſsphraſe=hunter2hunter2", "Bearer abcdefghij1234567890", "api-key=call_of_123456(", "api-key: a1"),
    *("\n", "\\n", " ", "=", ":", "é", "ſ", "K", "\u2003", "-", "_", "a1B2" * 5, "sk-", "key"),
]


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=12))
def test_trying_a_pattern_only_where_its_needle_stands_covers_the_same(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert Masker({})(text) == plainly(text)


@pytest.mark.parametrize(
    "piece", ["api-key=a1", "sk-", "Bearer ", "token=", "pass\\", "-----BEGIN ", "sk-\\n"]
)
def test_a_text_that_begins_like_a_secret_everywhere_is_read_in_one_go(piece: str) -> None:
    # read anew from each beginning, it would be a billion steps and more
    text = piece * (400_000 // len(piece)) + "("
    masked = Masker({})(text)
    assert Masker({})(masked) == masked


def test_in_a_large_text_without_a_clue_no_pattern_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def note(text: str, at: int, needle: str, pattern: re.Pattern[str]) -> str:
        tried.append(needle)
        return text

    monkeypatch.setattr(masking, "_cover", note)
    text = base64.b64encode(random.Random(1).randbytes(750_000)).decode()
    assert Masker({})(text) is text
    assert not [needle for needle in tried if needle not in ("eyJ", "xox", "AKIA", "ASIA", "AIza")]


@pytest.mark.parametrize("needle", sorted({needle for needle, _ in SHAPES}))
def test_each_needle_is_tried_wherever_its_pattern_fits(needle: str) -> None:
    values = ("a1B2c3D4" * 5, ": a1B2c3D4e5F6g7H8", '": "a1B2c3D4e5F6g7H8"', "='hunter2hunter2'")
    for before in ("", "x_", '{"', "é\u00a0"):
        for value in (*values, "=correcthorse", "phrase := hunter2hunter2", "\u00a0:\u00a0a1B2c3D4e5F6g7H8"):
            text = before + needle + value
            assert Masker({})(text) == plainly(text)


def test_a_value_of_quotes_within_quotes_is_written_as_it_is() -> None:
    hostile = "b'" * 3_000 + "x" + "'" * 3_000
    assert to_plain({"token": hostile, "path": hostile}, Masker({}))["path"] == hostile


def test_a_secret_in_the_values_of_a_failing_frame_is_covered_by_its_name() -> None:
    mask = Masker({})
    values = {"password": "'hunter2Secret9'", "api_key": "b'abcd1234efgh5678'", "path": "'src/main.py'"}
    assert to_plain({"locals": values}, mask) == {
        "locals": {"password": "'[masked key]'", "api_key": "b'[masked key]'", "path": "'src/main.py'"}
    }

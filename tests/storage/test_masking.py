"""Secrets are covered, ordinary text is not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.storage.masking import Masker

SHAPES = [
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


@pytest.mark.parametrize("secret", SHAPES)
@pytest.mark.parametrize("around", ["{}", "key: {}.", '{{"k": "{}"}}', "line\n{}\nline"])
def test_texts_shaped_like_keys_are_covered(secret: str, around: str) -> None:
    text = around.format(secret)
    for written in (text, json.dumps({"text": text})):
        assert secret not in Masker({})(written)


@pytest.mark.parametrize("text", ORDINARY)
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

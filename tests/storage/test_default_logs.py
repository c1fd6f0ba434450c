"""The logs that an agent gets without asking."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.storage.fake_agent import FakeAgent
from workbench.compose import default_observers
from workbench.storage.masking import Masker


def test_a_large_text_is_searched_for_secrets_once_for_both_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = "x" * 200_000
    searched: list[str] = []
    real = Masker._covered

    def counted(self: Masker, text: str) -> str:
        if text == large:
            searched.append(text)
        return real(self, text)

    monkeypatch.setattr(Masker, "_covered", counted)
    logs = default_observers(quiet=True, log=True, folder=tmp_path)
    agent = FakeAgent(*logs)
    agent.begin("go")
    agent.call("c1", "echo", "done", arguments={"text": large})
    agent.end()
    assert len(searched) == 1
    for log in logs:
        log.close()

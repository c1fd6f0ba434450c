"""Models by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from workbench.errors import ConfigError
from workbench.providers.base import create_llm
from workbench.providers.litellm_model import LitellmModel
from workbench.providers.offline import OfflineModel


@pytest.mark.parametrize("name", [None, "", "  ", "offline"])
def test_no_name_means_offline(name: str | None) -> None:
    assert isinstance(create_llm(name, temperature=1), OfflineModel)


def test_offline_with_a_path_plays_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "demo.yaml").write_text("- say: Hello.")
    model = create_llm(f"offline:{tmp_path}/demo.yaml", pace=0)
    assert model.complete([{"role": "user", "content": "hi"}]).content == "Hello."


def test_every_other_name_is_litellms_and_starts_nothing_by_itself() -> None:
    model = create_llm("openai/gpt-4o", temperature=0.5, base_url=None, pace=0)
    assert isinstance(model, LitellmModel)
    assert model.model == "openai/gpt-4o"
    assert model.parameters == {"temperature": 0.5}


@pytest.mark.parametrize("name", ["offline:none.yaml", "my model", "offlne:demo.yaml x"])
def test_a_name_that_cannot_be_is_refused(name: str) -> None:
    with pytest.raises(ConfigError):
        create_llm(name)


@pytest.mark.parametrize("name", ["offlin", "ofline", "Offlinee", "off-line"])
def test_a_slip_in_the_name_of_the_built_in_model_is_told_at_once(name: str) -> None:
    with pytest.raises(ConfigError) as refused:
        create_llm(name)
    assert refused.value.hint == "Did you mean offline?"


def test_a_parameter_with_a_value_that_it_cannot_have_is_refused_at_once() -> None:
    with pytest.raises(ConfigError, match="base_url: expected an address"):
        create_llm("openai/some-model", base_url="not an address")


def test_offline_loads_nothing_of_the_model_host() -> None:
    script = """if True:
        import sys
        from workbench.providers.base import create_llm
        create_llm("offline")
        unwanted = ("litellm", "pydantic", "workbench.providers.host")
        print([name for name in sys.modules if name.startswith(unwanted)])
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"

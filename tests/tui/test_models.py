"""Choosing a model and its parameters: by name, from the list, in mid conversation."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from textual.command import CommandPalette

from tests.tui.driving import Driven, driven, sample_agent
from workbench.engine.agent import Agent
from workbench.engine.cancel import CancelToken
from workbench.engine.llm import LLM, LLMResponse, OnDelta, ToolSchema
from workbench.errors import ConfigError
from workbench.providers.catalog import OFFLINE, Catalog, ModelGroup, ModelInfo, Snapshot
from workbench.tui.events import Post
from workbench.tui.model_rows import GroupRow, ModelRow, WrittenRow, draw, price_text, rows, tokens_text
from workbench.tui.model_switch import ModelSwitch
from workbench.tui.rows import RowList
from workbench.tui.screens.models import ModelsScreen

SERVED = "http://127.0.0.1:1234/v1"
GROUPS = (
    OFFLINE,
    ModelGroup("LM Studio on this machine", "running", (ModelInfo("lm_studio/small", base_url=SERVED),)),
    ModelGroup(
        "openai",
        "key set",
        (
            ModelInfo("openai/large", 1_050_000, 2.5, 10.0),
            ModelInfo("openai/mini", 128_000, 0.0375, None),
        ),
        ("OPENAI_API_KEY",),
    ),
    ModelGroup("zeta", "no key", (ModelInfo("zeta/one"), ModelInfo("zeta/two")), ("ZETA_API_KEY",)),
)


class Listed(Catalog):
    """A catalogue that finds nothing but offline until the gate opens."""

    def __init__(self, gate: threading.Event, groups: tuple[ModelGroup, ...] = GROUPS) -> None:
        self._gate = gate
        self._groups = groups

    def look(self, found: Callable[[Snapshot], None]) -> None:
        found(Snapshot(GROUPS[:1], "loading the model library"))
        assert self._gate.wait(30)
        found(Snapshot(self._groups))


class Named:
    """A model that says its name and how many messages it was given."""

    context_window = 1000

    def __init__(self, model: str, parameters: Mapping[str, Any]) -> None:
        if model == "nonsense":
            raise ConfigError("`nonsense` is not the name of a model.", hint="Such as offline.")
        self.model = model
        self.parameters = {key: value for key, value in parameters.items() if value is not None}
        self.missing_key = ("OPENAI_API_KEY",) if model == "openai/keyless" else ()
        self.takes: frozenset[str] | None = None

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[ToolSchema] | None = None,
        *,
        on_delta: OnDelta | None = None,
        cancel: CancelToken | None = None,
    ) -> LLMResponse:
        return LLMResponse(f"{self.model} read {len(messages)} messages")


def named(model: str, parameters: Mapping[str, Any]) -> LLM:
    return Named(model, parameters)


class Choosing:
    """What the tests pass to the app."""

    def __init__(self, configured: Mapping[str, Any] | None = None, *, found: bool = True) -> None:
        self.gate = threading.Event()
        if found:
            self.gate.set()
        self._configured = configured

    def models(self) -> ModelSwitch:
        return ModelSwitch(named, lambda: Listed(self.gate), self._configured)


def parameters(it: Driven) -> dict[str, Any]:
    found = getattr(it.agent.llm, "parameters", None)
    assert isinstance(found, dict)
    return found


async def listed(it: Driven) -> ModelsScreen:
    """Open the list and wait until everything is in it."""
    await it.send("/model")
    await it.until(lambda: isinstance(it.app.screen, ModelsScreen) and "zeta" in it.shown())
    screen = it.app.screen
    assert isinstance(screen, ModelsScreen)
    return screen


async def test_a_model_is_switched_by_name_and_the_conversation_goes_on() -> None:
    async with driven(make_models=Choosing().models) as it:
        await it.turn("add(a=2, b=3)")
        await it.send("/model openai/large")
        await it.until(lambda: it.agent.model == "openai/large")
        await it.until(lambda: "openai/large" in it.shown(it.app.main.top_line))
        assert it.trace[1]["model"] == "offline"
        await it.turn("and now?")
        assert "openai/large read 6 messages" in it.shown(it.app.main.conversation)
        assert it.trace[-1]["model"] == "openai/large"


async def test_the_list_that_is_opened_again_has_what_was_known_and_gets_the_rest() -> None:
    choosing = Choosing(found=False)
    async with driven(make_models=choosing.models) as it:
        for _ in range(2):
            await it.send("/model")
            await it.until(lambda: isinstance(it.app.screen, ModelsScreen) and "built in" in it.shown())
            assert "loading the model library" in it.shown()
            await it.press("escape")
            await it.until(lambda: not isinstance(it.app.screen, ModelsScreen))
        await it.send("/model")
        choosing.gate.set()
        await it.until(lambda: "zeta" in it.shown())


async def test_a_name_that_is_none_says_so_and_changes_nothing() -> None:
    async with driven(make_models=Choosing().models) as it:
        await it.send("/model nonsense")
        await it.until(lambda: "not the name of a model" in it.shown(it.app.main.conversation))
        assert it.agent.model == "offline"
        assert "offline" in it.shown(it.app.main.top_line)
        await it.turn("add(a=2, b=3)")
        assert it.agent.last_status == "success"


async def test_the_list_comes_up_with_what_is_known_while_the_library_loads() -> None:
    choosing = Choosing(found=False)
    async with driven(make_models=choosing.models) as it:
        await it.send("/model")
        await it.until(lambda: "loading the model library" in it.shown())
        assert "offline  in use" in it.shown()
        assert "openai" not in it.shown()
        choosing.gate.set()
        await it.until(lambda: "openai/large" in it.shown())
        assert "loading" not in it.shown()


async def test_the_list_shows_context_and_prices_and_what_is_not_known() -> None:
    async with driven(make_models=Choosing().models) as it:
        screen = await listed(it)
        shown = it.shown(screen.query_one(RowList)).splitlines()
        lines = {line.split()[0]: line.split() for line in shown if "/" in line}
        assert lines["openai/large"][1:4] == ["1.05M", "2.50", "10.00"]
        assert lines["openai/mini"][1:4] == ["128k", "0.0375", "unknown"]
        assert lines["lm_studio/small"][1:4] == ["unknown", "unknown", "unknown"]


async def test_providers_without_a_key_are_folded_and_say_which_variable_to_set() -> None:
    async with driven(make_models=Choosing().models) as it:
        screen = await listed(it)
        assert "zeta/one" not in it.shown()
        assert "set ZETA_API_KEY" in it.shown()
        for _ in range(9):
            await it.press("down")
        await it.press("enter")
        await it.until(lambda: "zeta/one" in it.shown())
        assert it.app.screen is screen


async def test_typing_filters_and_enter_takes_the_first() -> None:
    async with driven(make_models=Choosing().models) as it:
        await listed(it)
        await it.write("open mini")
        await it.until(lambda: "openai/large" not in it.shown())
        assert "offline  in use" not in it.shown()
        await it.press("enter")
        await it.until(lambda: it.agent.model == "openai/mini")
        assert not isinstance(it.app.screen, ModelsScreen)


async def test_a_name_that_is_in_no_list_can_be_written() -> None:
    async with driven(make_models=Choosing().models) as it:
        await listed(it)
        await it.write("my/own")
        await it.until(lambda: "as written" in it.shown())
        await it.press("enter")
        await it.until(lambda: it.agent.model == "my/own")


async def test_the_palette_opens_the_list() -> None:
    async with driven(make_models=Choosing().models) as it:
        await it.press("ctrl+p")
        await it.until(lambda: isinstance(it.app.screen, CommandPalette))
        await it.write("model")
        await it.until(lambda: "Choose the model" in it.shown())
        await it.press("enter")
        await it.until(lambda: isinstance(it.app.screen, ModelsScreen))


async def test_a_filter_that_nothing_matches_says_so() -> None:
    async with driven(make_models=Choosing().models) as it:
        screen = await listed(it)
        await it.write("no such")
        await it.until(lambda: "No model matches." in it.shown())
        await it.press("enter")
        await it.pilot.pause()
        assert it.app.screen is screen


async def test_escape_keeps_the_model_and_the_list_opens_again() -> None:
    async with driven(make_models=Choosing().models) as it:
        await listed(it)
        await it.press("down", "down", "escape")
        await it.until(lambda: not isinstance(it.app.screen, ModelsScreen))
        await listed(it)
        await it.press("escape")
        await it.until(lambda: not isinstance(it.app.screen, ModelsScreen))
        assert it.agent.model == "offline"


async def test_a_click_takes_a_model() -> None:
    async with driven(make_models=Choosing().models) as it:
        await listed(it)
        lines = it.shown().splitlines()
        line = next(index for index, text in enumerate(lines) if "openai/mini" in text)
        await it.pilot.click(offset=(lines[line].index("openai/mini") + 2, line))
        await it.until(lambda: it.agent.model == "openai/mini")


async def test_the_address_of_a_local_server_goes_with_its_model_only() -> None:
    async with driven(make_models=Choosing().models) as it:
        await listed(it)
        await it.write("small")
        await it.press("enter")
        await it.until(lambda: it.agent.model == "lm_studio/small")
        assert parameters(it) == {"base_url": SERVED}
        await it.send("/model openai/large")
        await it.until(lambda: it.agent.model == "openai/large")
        assert parameters(it) == {}


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_a_small_screen_is_filled_and_still_shows_the_context(size: tuple[int, int]) -> None:
    async with driven(size=size, make_models=Choosing().models) as it:
        await listed(it)
        await it.write("large")
        await it.until(lambda: "1.05M" in it.shown())
        assert "esc close" in it.shown()
        assert "context" in it.shown().splitlines()[0]


async def test_a_switch_during_a_turn_waits_for_its_end() -> None:
    async with driven(make_models=Choosing().models) as it:
        await it.send('write_file(path="a.txt", text="1")')
        await it.asked()
        await it.act(lambda: it.app.action_do("app.model", "openai/large"))
        assert it.agent.model == "offline"
        await it.press("escape")
        await it.until(lambda: it.idle and it.agent.model == "openai/large")
        assert {e["model"] for e in it.trace if e["type"] == "llm_call"} == {"offline"}


async def test_a_parameter_is_set_shown_kept_over_a_switch_and_taken_away() -> None:
    async with driven(make_models=Choosing().models) as it:
        await it.send("/model openai/large")
        await it.send("/set temperature 0.2")
        await it.until(lambda: "temperature is 0.2" in it.shown(it.app.main.conversation))
        await it.send("/model openai/mini")
        await it.until(lambda: it.agent.model == "openai/mini")
        assert parameters(it) == {"temperature": 0.2}
        parameters(it)["api_key"] = "sk-secret"
        await it.send("/set")
        await it.until(lambda: "Parameters of openai/mini" in it.shown(it.app.main.conversation))
        shown = it.shown(it.app.main.conversation)
        assert "temperature       0.2" in shown
        assert "api_key" in shown
        assert "sk-secret" not in shown
        await it.send("/set temperature")
        await it.until(lambda: "no longer set" in it.shown(it.app.main.conversation))
        assert "temperature" not in parameters(it)
        await it.send("/model openai/large")
        await it.until(lambda: it.agent.model == "openai/large")
        assert parameters(it) == {}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("temperature hot", "expected a number from 0 to 2, got 'hot'"),
        ("temprature 1", "There is no parameter temprature. Did you mean temperature?"),
        ("x 1", "There is no parameter x. Parameters are temperature,"),
    ],
)
async def test_a_parameter_that_cannot_be_set_says_what_could(words: str, complaint: str) -> None:
    async with driven(make_models=Choosing().models) as it:
        await it.send("/model openai/large")
        await it.send(f"/set {words}")
        await it.until(lambda: complaint in " ".join(it.shown(it.app.main.conversation).split()))
        assert parameters(it) == {}


async def test_offline_takes_no_parameters_but_the_next_model_gets_them() -> None:
    configured = {"temperature": 0.3, "api_key": "sk-secret"}
    async with driven(make_models=Choosing(configured).models) as it:
        await it.send("/set max_tokens 100")
        await it.until(lambda: "offline takes no parameters" in it.shown(it.app.main.conversation))
        await it.send("/set")
        said = "these wait for the next model"
        await it.until(lambda: said in " ".join(it.shown(it.app.main.conversation).split()))
        shown = it.shown(it.app.main.conversation)
        assert "temperature       0.3" in shown
        assert "max_tokens        100" in shown
        assert "also set          api_key" in shown
        assert "sk-secret" not in shown
        await it.send("/model openai/large")
        await it.until(lambda: it.agent.model == "openai/large")
        assert parameters(it) == {"max_tokens": 100}


async def test_a_parameter_that_the_model_does_not_take_is_said_to_be_left_out() -> None:
    async with driven(make_models=Choosing().models) as it:
        await it.send("/model openai/large")
        await it.until(lambda: it.agent.model == "openai/large")
        it.agent.llm.takes = frozenset({"max_completion_tokens"})
        await it.send("/set temperature 0.2")
        await it.until(lambda: "openai/large does not take it" in it.shown(it.app.main.conversation))
        for words in ("max_tokens 100", "timeout 5"):
            await it.send(f"/set {words}")
        await it.send("/set")
        await it.until(lambda: "Parameters of openai/large" in it.shown(it.app.main.conversation))
        lines = it.shown(it.app.main.conversation).split("\n")
        assert any("temperature       0.2   left out: not taken" in line for line in lines)
        assert not any("max_tokens" in line and "left out" in line for line in lines)
        assert not any("timeout" in line and "left out" in line for line in lines)


async def test_a_model_without_its_key_says_so_when_it_is_switched_to() -> None:
    async with driven(make_models=Choosing().models) as it:
        await it.send("/model openai/keyless")
        await it.until(lambda: "There is no key for openai/keyless" in it.shown(it.app.main.conversation))
        assert "OPENAI_API_KEY" in it.shown(it.app.main.conversation)
        assert it.agent.model == "openai/keyless"


async def test_a_start_without_the_key_says_so_before_anything_is_sent() -> None:
    def start(post: Post) -> Agent:
        agent = sample_agent(post)
        agent.llm = Named("openai/keyless", {})
        return agent

    async with driven(start) as it:
        await it.until(lambda: "openai/keyless has no key." in it.shown(it.app.main.conversation))
        shown = " ".join(it.shown(it.app.main.conversation).split())
        assert "Put OPENAI_API_KEY into the environment or .env, or choose another with /model." in shown
        assert "openai/keyless answers" not in shown


async def test_an_empty_conversation_says_who_answers_now() -> None:
    async with driven(make_models=Choosing().models) as it:
        await it.turn("add(a=1, b=2)")
        await it.send("/model openai/large")
        await it.until(lambda: it.agent.model == "openai/large")
        await it.send("/new")
        await it.until(lambda: "openai/large answers" in it.shown(it.app.main.conversation))
        await it.send("/model openai/mini")
        await it.until(lambda: "openai/mini answers" in it.shown(it.app.main.conversation))


async def test_a_name_without_its_provider_is_found_in_the_list() -> None:
    choosing = Choosing()
    group = ModelGroup("openai", "key set", (ModelInfo("openai/zeta"), ModelInfo("openai/gpt-mini")))
    models = ModelSwitch(named, lambda: Listed(choosing.gate, (group,)))
    async with driven(make_models=lambda: models) as it:
        await it.send("/model gpt-mini")
        await it.until(lambda: it.agent.model == "gpt-mini")
        screen = await listed(it)
        row = screen.query_one(RowList).current
        assert isinstance(row, ModelRow)
        assert (row.info.name, row.current) == ("openai/gpt-mini", True)


def test_the_rows_follow_filter_and_folds() -> None:
    snapshot = Snapshot(GROUPS)
    folded = rows(snapshot, "", {"zeta"}, "offline")
    assert [row.group.title for row in folded if isinstance(row, GroupRow) and not row.open] == ["zeta"]
    assert [row.info.name for row in folded if isinstance(row, ModelRow) and row.current] == ["offline"]
    found = rows(snapshot, "ZETA", {"zeta"}, "")
    assert [row.info.name for row in found if isinstance(row, ModelRow)] == ["zeta/one", "zeta/two"]
    assert isinstance(found[-1], WrittenRow)
    assert not any(isinstance(row, WrittenRow) for row in rows(snapshot, "zeta/one", (), ""))
    assert rows(snapshot, "no such", (), "") == []


@pytest.mark.parametrize(
    ("tokens", "shown"),
    [
        (None, "unknown"),
        (512, "512"),
        (8_192, "8k"),
        (999_600, "1M"),
        (1_000_000, "1M"),
        (1_048_576, "1.05M"),
    ],
)
def test_a_context_window_is_short(tokens: int | None, shown: str) -> None:
    assert tokens_text(tokens) == shown


@pytest.mark.parametrize(
    ("price", "shown"),
    [(None, "unknown"), (0.0, "free"), (0.0375, "0.0375"), (0.15, "0.15"), (75.0, "75.00")],
)
def test_a_price_is_never_rounded_to_nothing(price: float | None, shown: str) -> None:
    assert price_text(price) == shown


@pytest.mark.parametrize(
    ("width", "takes", "said"), [(80, True, True), (60, True, True), (36, True, False), (80, False, False)]
)
def test_a_model_that_looks_at_pictures_says_so_where_there_is_room(
    width: int, takes: bool, said: bool
) -> None:
    def drawn(takes_images: bool) -> str:
        info = ModelInfo("openai/larger-than-others", 128_000, takes_images=takes_images)
        return "".join(text for text, _ in draw(ModelRow(info, "openai", current=False), width))

    line = drawn(takes)
    assert ("  images  " in line) is said
    assert line.replace("images", "      ") == drawn(takes_images=False)


async def test_the_list_follows_the_theme() -> None:
    async with driven(make_models=Choosing().models) as it:
        screen = await listed(it)
        await it.act(lambda: setattr(it.app, "theme", "paper"))
        await it.until(lambda: screen.palette.name == "paper")
        assert screen.query_one(RowList).palette.name == "paper"


async def test_the_welcome_names_the_new_model_and_notices_stay_below_it() -> None:
    async with driven(make_models=Choosing().models, keymap={"app.halp": "f2"}) as it:
        conversation = it.app.main.conversation
        await it.until(lambda: "there is no command app.halp" in it.shown(conversation))
        await it.send("/model openai/mini")
        await it.until(lambda: "openai/mini answers" in it.shown(conversation))
        shown = it.shown(conversation)
        assert shown.index("assistant is ready") < shown.index("app.halp")
        assert "offline answers" not in shown


def test_a_filter_puts_first_what_answers_then_who_makes_it_then_the_better_match() -> None:
    def group(title: str, *models: str, key: bool = False) -> ModelGroup:
        return ModelGroup(title, "key set" if key else "no key", tuple(map(ModelInfo, models)))

    groups = (
        group("aihubmix", "aihubmix/claude-sonnet"),
        group("anthropic", "anthropic/claude-oldsonnet", "anthropic/claude-sonnet", "anthropic/haiku"),
        group("zzz", "zzz/sonnet", key=True),
        group("bbb", "bbb/claudesonnet"),
    )
    found = [row.info.name for row in rows(Snapshot(groups), "sonnet", (), "") if isinstance(row, ModelRow)]
    assert found == [
        "zzz/sonnet",
        "anthropic/claude-sonnet",
        "anthropic/claude-oldsonnet",
        "aihubmix/claude-sonnet",
        "bbb/claudesonnet",
    ]


async def test_a_model_that_the_list_has_without_a_key_is_said_to_fail_and_names_the_same_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ZETA_API_KEY", raising=False)
    async with driven(make_models=Choosing().models) as it:
        await listed(it)
        await it.write("zeta/t")
        await it.press("enter")
        await it.until(lambda: it.agent.model == "zeta/two")
        await it.until(lambda: "ZETA_API_KEY" in it.shown(it.app.main.conversation))
        (said,) = [each.message for each in it.app._notifications]
        assert said == "zeta/two is chosen, but ZETA_API_KEY is not set: the next message fails without it."
        assert "the next message fails" in " ".join(it.shown(it.app.main.conversation).split())

"""The lines around the panels say the most important things at every width, and never half of one."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from tests.tui.driving import driven
from tests.tui.panel_app import GRAPHITE
from workbench.tui.panels.status import MODES, Activity, ActivityLine, Status, TabLine, TopLine

WIDTHS = (40, 60, 80, 104, 120, 200, 300)


def top(width: int, status: Status) -> str:
    """The top line as it is painted."""
    line = TopLine(GRAPHITE)
    line.status, line.compact = status, width < 104
    return "".join(text for text, _ in line.spans(width))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("agent", ["assistant", "an-agent-with-a-very-long-name-indeed", "漢字" * 20])
def test_the_top_line_fits_and_says_mode_and_context(width: int, mode: str, agent: str) -> None:
    text = top(width, Status(agent, "openai/gpt-5-mini", mode, 34.0, 12_400, 0.0123))
    assert cell_len(text) <= width
    assert f" {MODES[mode][0]} " in text
    assert "34%" in text
    assert text.startswith(f"  {agent[:4]}")
    for part in ("openai/gpt-5-mini", "12.4k tok", "$0.0123"):
        assert part in text or part[:6] not in text


@pytest.mark.parametrize("width", [120, 200, 300])
def test_a_wide_top_line_says_everything(width: int) -> None:
    text = top(width, Status("assistant", "offline", "careful", None, 980, None))
    for part in ("offline", "approval ask for risky", "context unknown", "980 tok", "cost unknown"):
        assert part in text


def test_a_context_that_is_nearly_full_warns() -> None:
    line = TopLine(GRAPHITE)
    for percent, tone in ((79.0, "subtle"), (80.0, "warning")):
        line.status = Status("a", "m", "careful", percent, 0, 0.0)
        assert (f" {percent:.0f}%", tone) in line.spans(120)


def doing(width: int, activity: Activity) -> str:
    """The line above the prompt as it is painted."""
    line = ActivityLine(GRAPHITE)
    line._activity, line._now = activity, 12.0
    return "".join(text for text, _ in line.spans(width))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("what", ["running add", "running " + "namespace." * 40 + "tool", "漢字" * 90])
def test_how_long_it_runs_and_how_to_stop_it_is_said_at_every_width(width: int, what: str) -> None:
    text = doing(width, Activity("●", "accent", what, ("and 3 more", "118 tok"), 0.0))
    assert cell_len(text) <= width - 2
    assert text.endswith("esc stop")
    assert "12.0 s" in text
    assert what in text or "…" in text


def test_details_are_said_where_there_is_room() -> None:
    activity = Activity("●", "accent", "answering", ("118 tok", "62 tok/s"), 0.0)
    assert doing(58, activity).split("   ")[0] == "  ● answering  118 tok"
    assert "62 tok/s   12.0 s" in doing(58, activity)
    assert "62 tok/s" not in doing(40, activity)


@pytest.mark.parametrize("width", WIDTHS)
def test_no_tab_is_cut(width: int) -> None:
    line = TabLine(GRAPHITE)
    line.tabs = [
        ("conversation", "Conversation", ""),
        ("trace", "Trace", "1204"),
        ("tools", "Tools", "18 on 2 off"),
    ]
    text = "".join(text for text, _ in line.spans(width))
    assert cell_len(text) <= width
    assert "Tools" in text
    assert "18 on 2 off" in text or "18" not in text


async def test_a_click_hits_the_tab_that_is_painted_there() -> None:
    async with driven(size=(40, 12)) as it:
        text = it.shown(it.app.main.tab_line)
        await it.pilot.click("#tabs", offset=(text.index("Tools"), 0))
        await it.until(lambda: it.app.main.focused_panel == "tools")


@pytest.mark.parametrize("width", [40, 80, 120, 200])
async def test_what_waits_in_the_queue_is_counted(width: int) -> None:
    async with driven(size=(width, 24)) as it:
        await it.send("slow_countdown(seconds=30)")
        await it.until(lambda: "running" in it.shown(it.app.main.activity_line))
        for at in range(6):
            await it.send(f"later {at}")
        await it.until(lambda: "queued later 0" in it.shown(it.app.main.queue))
        await it.until(lambda: " more" in it.shown(it.app.main.queue))
        # a name is never cut for the sake of a number
        roomy = width in (80, 200)
        await it.until(lambda: ("6 queued" in it.shown(it.app.main.activity_line)) is roomy)
        assert "esc stop" in it.shown(it.app.main.activity_line)
        await it.press("escape")
        await it.until(lambda: it.idle)

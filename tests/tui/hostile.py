"""Texts that want to do harm, and every screen filled with them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from textual.screen import Screen

from tests.tui.panel_app import Story
from tests.tui.stage import START
from workbench.providers.catalog import ModelGroup, ModelInfo, Snapshot
from workbench.registry import ToolStatistics, WrongCall
from workbench.storage.prompt_history import SentMessage
from workbench.storage.session_file import SessionRecord, Turns
from workbench.storage.session_format import Origin, TurnRecord
from workbench.storage.session_index import SessionHead
from workbench.tui import events
from workbench.tui.approval import ApprovalRequest, Preview
from workbench.tui.branches import compare
from workbench.tui.palette import Palette
from workbench.tui.pause import PauseRequest
from workbench.tui.rerun import Rerun
from workbench.tui.screens.approval import ApprovalScreen
from workbench.tui.screens.branches import BranchesScreen
from workbench.tui.screens.breakpoints import BreakpointsScreen
from workbench.tui.screens.call_form import CallForm
from workbench.tui.screens.edit_arguments import EditArgumentsScreen
from workbench.tui.screens.fault import FaultScreen
from workbench.tui.screens.grants import GrantsScreen
from workbench.tui.screens.help import HelpScreen
from workbench.tui.screens.history import HistoryScreen
from workbench.tui.screens.models import ModelsScreen
from workbench.tui.screens.pause import PauseScreen
from workbench.tui.screens.question import QuestionScreen, QuestionText
from workbench.tui.screens.rerun import RerunScreen
from workbench.tui.screens.reruns import RerunsScreen
from workbench.tui.screens.save_test import SaveTestScreen
from workbench.tui.screens.sessions import SessionsScreen
from workbench.tui.screens.themes import ThemesScreen
from workbench.tui.screens.tool import ToolScreen
from workbench.tui.screens.what_if import WhatIfScreen
from workbench.tui.trace_model import TraceModel
from workbench.tui.trace_records import Entry

HOSTILE = (
    "[a=b",
    "[/",
    "[/#888]",
    "[",
    "\\[",
    "[b + c",
    "[/dim]",
    "[@click=app.quit]x[/]",
    "[link=https://example.org]x",
    "\x1b[2J\x1b]0;title\x07",
    "\x9b31m\x90q\x9c",
    "a\x00b\x7f\x08\x0d",
    "\u202eevil\u202c\u2066x\u2069",
    "zero\u200bwidth\ufeff\u00ad",
    "line\u2028separator\u2029\x0b\x0c",
    "❤️‍🔥 👨‍👩‍👧 日本語 ✈️ e\u0301\u0301",
    "\ud800 lone",
    "tab\tand\nnewline\r\n",
    "{braces} %s $x `code` | a | b |",
    "x" * 400,
    "漢" * 200,
)
ALL = " ".join(HOSTILE)


def story(text: str) -> list[events.AgentEvent]:
    """A turn in which everything that can be a text is this one."""
    arguments = {text: text, "nested": {text: [text]}}
    call = events.CallInfo("1", f"ns.{text}", arguments, "ask", text, "reject", text)
    entry: dict[str, Any] = {
        "type": "tool_execution",
        "tool_name": call.name,
        "call_id": "1",
        "arguments": arguments,
        "status": "error",
        "timing": 3.0,
        "timestamp": START,
        "iteration": 1,
        "result": text,
        "error": text,
        "error_type": text,
        "output": text,
    }
    llm = {"type": "llm_call", "model": text, "status": "error", "error": text, "timestamp": START}
    row = events.ToolRow(call.name, False, text, (text,), "ask", text, text)
    return [
        events.LoadFailed("", START, text, text, text),
        events.AgentReady(text, START, text, text, (row,)),
        events.TurnStarted(text, START, 1, text, text),
        events.ModelStarted(text, START, 1, 1, text),
        events.ModelDelta(
            text, START, "text", f"{text} `{text}`\n\n```{text}\n{text}\n```\n\n> {text}\n\n- {text}"
        ),
        events.ModelDelta(text, START, "reasoning", text),
        events.ModelFinished(text, START + 1, {**llm, "duration_ms": 1.0, "iteration": 1}, text, 1),
        events.BatchStarted(text, START, 1, 1, (call,)),
        events.WaitStarted(text, START, ("1",)),
        events.WaitFinished(text, START + 1, 1.0, (call,)),
        events.ToolStarted(text, START, "1", call.name, arguments),
        events.ToolFinished(text, START + 1, entry, _wrong(text)),
        events.Notice(text, START, text, text, text),
        events.TurnFinished(text, START + 2, 1, "error", 2_000, 0, text, text, text),
    ]


def _wrong(text: str) -> ToolStatistics:
    return ToolStatistics(1, 1, 1, wrong_calls=(WrongCall(START, json.dumps({text: text}), text),))


def request(text: str) -> ApprovalRequest:
    """A batch of it."""
    calls = tuple(events.CallInfo(str(at), f"ns.{text}", {text: text}, "ask", text) for at in range(2))
    return ApprovalRequest(
        agent=text,
        model=text,
        turn=1,
        iteration=1,
        calls=calls,
        said=text,
        schemas={f"ns.{text}": {"type": "object", "description": text}},
        previews={"0": Preview(text, text, text + "\nmore")},
        check=lambda name, arguments: None,
        preview=lambda name, arguments: None,
        covers=lambda proposal, name, arguments: True,
        opened=START,
    )


def models(palette: Palette) -> Screen[Any]:
    screen = ModelsScreen(ALL, palette)
    group = ModelGroup(ALL, "no key", (ModelInfo(ALL), ModelInfo("[b")), (ALL,))
    screen.call_later(screen.show, Snapshot((group, ModelGroup("x", "running", (ModelInfo(ALL),))), ALL, ALL))
    return screen


def grants(palette: Palette) -> Screen[Any]:
    row = events.GrantRow("1", ALL, {ALL: ALL}, "session", START)
    return GrantsScreen([row], palette, now=lambda: START)


def themes(palette: Palette) -> Screen[Any]:
    other = Palette(ALL, True, palette.colors, about=ALL)
    return ThemesScreen([palette, other], palette.name, palette, lambda name: None)


def sessions(palette: Palette) -> Screen[Any]:
    head = SessionHead(Path(ALL), ALL, ALL, START, 3, ALL, origin=Origin(ALL, 2), interrupted=True)
    rows = (
        events.SessionRow(head, True),
        events.SessionRow(head, turn=2, excerpt=ALL),
        events.SessionRow(replace(head, problem=ALL)),
    )
    screen = SessionsScreen(palette, now=lambda: START)
    screen.call_later(screen.show, rows, ALL)
    return screen


def branches(palette: Palette) -> Screen[Any]:
    def side(text: str) -> SessionRecord:
        call = {"id": "1", "type": "function", "function": {"name": text, "arguments": "{}"}}
        told: tuple[dict[str, Any], ...] = (
            {"role": "user", "content": text},
            {"role": "assistant", "content": text, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": text},
            {"role": "assistant", "content": text},
        )
        entry = {
            "type": "tool_execution",
            "tool_name": text,
            "call_id": "1",
            "arguments": {text: text},
            "result": text,
            "error": text,
            "status": "error",
        }
        turn = TurnRecord(input=text, messages=told, trace=(entry,))
        return SessionRecord(Path(text), text, text, None, Turns((turn, turn)))

    return BranchesScreen(ALL, ALL, compare(side(ALL), side(ALL + "[/x]")), palette)


def breakpoints(palette: Palette) -> Screen[Any]:
    row = events.BreakRow(ALL, "before", ALL)
    screen = BreakpointsScreen(
        palette,
        put=lambda row, old: None,
        remove=lambda row: None,
        step=lambda: None,
        tool=ALL,
        condition=ALL,
    )
    screen.call_later(screen.show, (row,), step=True)
    return screen


def pause(palette: Palette) -> Screen[Any]:
    arguments = {ALL: ALL, "x": [{ALL: ALL}]}
    entry = {
        "type": "tool_execution",
        "tool_name": ALL,
        "call_id": ALL,
        "arguments": arguments,
        "result": ALL,
    }
    what = PauseRequest(
        agent=ALL,
        turn=1,
        iteration=1,
        when="after",
        tool=ALL,
        call_id=ALL,
        arguments=arguments,
        because=ALL,
        task=ALL,
        before=({**entry, "status": "error", "error": ALL, "timing": 3.0},),
        messages=({"role": "user", "content": ALL}, {"role": "tool", "tool_call_id": ALL, "content": ALL}),
        sent=1,
        details={ALL: ALL},
        result=ALL,
        error=ALL,
        opened=START,
    )
    clock = iter(range(0, 1_000_000, 100)).__next__
    return PauseScreen(what, lambda resume: None, palette, clock=clock, now=lambda: START + 12)


def runs() -> list[Rerun]:
    """A run that ended otherwise, one that ended in another text, one that waits."""
    story = Story(ALL)
    story.begin(ALL)
    (call,) = story.batch(f"ns.{ALL}", **{ALL: ALL})
    story.run(call, 9, "error", result=ALL, error=ALL, error_type=ALL)
    model = TraceModel(lambda start, removed, added: None)
    model.apply(story.take())
    entry: Entry = next(entry for entry in model.entries() if entry.call_id)
    ended, failed, waiting = Rerun.of(entry), Rerun.of(entry, {ALL: "[/b]"}), Rerun.of(entry)
    ended.state = failed.state = "ended"
    ended.data = {**entry.data, "result": ALL[::-1], "status": "success"}
    failed.data = {**entry.data, "result": ALL + "\n[/x]", "error": ALL + "[/x]"}
    return [ended, failed, waiting]


def rerun(palette: Palette) -> Screen[Any]:
    return RerunScreen(runs()[1], palette, stop=lambda runs: None, traced=lambda run: None)


def reruns(palette: Palette) -> Screen[Any]:
    return RerunsScreen(ALL, runs(), palette, stop=lambda runs: None)


def call_form(palette: Palette) -> Screen[Any]:
    properties = {
        ALL: {"type": "string", "description": ALL, "default": ALL},
        "one": {"enum": [ALL, "[/b]"], "description": ALL},
        "many": {"type": "array", "items": {"type": "string"}, "description": ALL},
        "empty": {"type": "string"},
        "inside": {"type": "object", "properties": {"deeper": {"type": "object", "properties": {ALL: {}}}}},
    }
    return CallForm(
        ALL,
        ALL,
        {"type": "object", "properties": properties, "required": [ALL]},
        {ALL: ALL, "one": ALL, "many": [ALL]},
        palette,
        check=lambda arguments: f"{ALL}: {ALL}",
        run=lambda run: None,
        stop=lambda: None,
        traced=lambda run: None,
    )


SCREENS: dict[str, Callable[[Palette], Screen[Any]]] = {
    "approval": lambda palette: ApprovalScreen(
        request(ALL), lambda result: None, palette, clock=iter(range(100_000)).__next__, now=lambda: START + 3
    ),
    "branches": branches,
    "breakpoints": breakpoints,
    "call form": call_form,
    "edit arguments": lambda palette: EditArgumentsScreen(ALL, {ALL: ALL}, lambda arguments: ALL, palette),
    "fault": lambda palette: FaultScreen(palette, ALL, ALL, put=lambda fault: None, clear=lambda: None),
    "grants": grants,
    "help": HelpScreen,
    "history": lambda palette: HistoryScreen([SentMessage(START, ALL)], palette, now=lambda: START),
    "models": models,
    "pause": pause,
    "question": lambda palette: QuestionScreen(QuestionText(ALL, ALL), lambda reply: None),
    "rerun": rerun,
    "reruns": reruns,
    "save test": lambda palette: SaveTestScreen(ALL, ALL, [ALL], lambda path: ALL, palette),
    "sessions": sessions,
    "themes": themes,
    "tool": lambda palette: ToolScreen(f"ns.{ALL}", [("does", ALL), ("wrong", ALL)], 1, palette),
    "what if": lambda palette: WhatIfScreen("1", ALL, ALL, ALL, palette, failed=True),
}
"""Every screen that can lie on the main one."""

"""The command table is the truth: every command does something, no key means two things in one place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from textual.binding import BindingsMap
from textual.dom import DOMNode
from textual.widget import Widget
from textual.widgets import Input, TextArea

from workbench.tui.app import WorkbenchApp
from workbench.tui.commands import TABLE, Command, Scope, hints, key_text, searched
from workbench.tui.commands.synonyms import SYNONYMS
from workbench.tui.filter_line import FilterLine
from workbench.tui.panels.conversation import Conversation
from workbench.tui.panels.tools import ToolsPanel
from workbench.tui.panels.trace import TracePanel
from workbench.tui.prompt_area import PromptArea
from workbench.tui.rows import RowList
from workbench.tui.screens.approval import ApprovalScreen
from workbench.tui.screens.approval_always import AlwaysPanel, Choice
from workbench.tui.screens.approval_fields import EditField
from workbench.tui.screens.arguments_editor import ArgumentsEditor
from workbench.tui.screens.branches import BranchesScreen
from workbench.tui.screens.breakpoints import BreakpointsScreen
from workbench.tui.screens.call_form import CallForm
from workbench.tui.screens.earlier_calls import EarlierCallsScreen
from workbench.tui.screens.edit_arguments import EditArgumentsScreen
from workbench.tui.screens.fault import FaultScreen
from workbench.tui.screens.form_parts import Options
from workbench.tui.screens.grants import GrantsScreen
from workbench.tui.screens.help import HelpScreen
from workbench.tui.screens.history import HistoryScreen
from workbench.tui.screens.inspector import InspectorScreen
from workbench.tui.screens.models import ModelsScreen
from workbench.tui.screens.nested_fields import AddRow
from workbench.tui.screens.pause import PauseScreen
from workbench.tui.screens.question import QuestionScreen
from workbench.tui.screens.rerun import RerunScreen
from workbench.tui.screens.reruns import RerunsScreen
from workbench.tui.screens.save_test import SaveTestScreen
from workbench.tui.screens.sessions import SessionsScreen
from workbench.tui.screens.themes import ThemesScreen
from workbench.tui.screens.tool import ToolScreen
from workbench.tui.screens.what_if import WhatIfScreen

OWNERS: dict[Scope, type] = {
    "app": WorkbenchApp,
    "prompt": PromptArea,
    "conversation": Conversation,
    "list": RowList,
    "trace": TracePanel,
    "tools": ToolsPanel,
    "tool": ToolScreen,
    "approval": ApprovalScreen,
    "inspector": InspectorScreen,
    "question": QuestionScreen,
    "grants": GrantsScreen,
    "help": HelpScreen,
    "rerun": RerunScreen,
    "reruns": RerunsScreen,
    "edit": EditArgumentsScreen,
    "save_test": SaveTestScreen,
    "form": CallForm,
    "history": HistoryScreen,
    "models": ModelsScreen,
    "sessions": SessionsScreen,
    "what_if": WhatIfScreen,
    "branches": BranchesScreen,
    "themes": ThemesScreen,
    "pause": PauseScreen,
    "earlier": EarlierCallsScreen,
    "breakpoints": BreakpointsScreen,
    "fault": FaultScreen,
    "field": EditField,
    "filter": FilterLine,
    "values": ArgumentsEditor,
    "adder": AddRow,
    "option": Options,
    "choice": Choice,
    "always": AlwaysPanel,
}


@pytest.mark.parametrize("command", TABLE, ids=lambda command: command.id)
def test_a_command_has_an_action_where_it_holds(command: Command) -> None:
    name = command.action.partition("(")[0].rpartition(".")[2]
    assert hasattr(OWNERS[command.scope], f"action_{name}") or hasattr(Widget, f"action_{name}")


def test_ids_and_slash_words_are_unique() -> None:
    for values in ([c.id for c in TABLE], [c.slash for c in TABLE if c.slash]):
        assert [value for value, count in Counter(values).items() if count > 1] == []


@pytest.mark.parametrize("scope", OWNERS)
def test_a_key_means_one_thing_in_one_place(scope: Scope) -> None:
    keys = Counter(key for command in TABLE if command.scope == scope for key in command.keys)
    assert [key for key, count in keys.items() if count > 1] == []


def made_here(parent: type[DOMNode]) -> Iterator[type[DOMNode]]:
    """The classes of this project that have bindings of their own."""
    for child in parent.__subclasses__():
        if child.__module__.startswith("workbench.") and "BINDINGS" in vars(child):
            yield child
        yield from made_here(child)


def test_every_binding_carries_its_commands_id_and_shares_its_key_with_no_other() -> None:
    ids = {command.id for command in TABLE}
    by_class = {each: each._merge_bindings().key_to_bindings for each in made_here(DOMNode)}
    assert len(by_class) > 20
    own = [
        (each.__name__, binding) for each in by_class for _, binding in BindingsMap(vars(each)["BINDINGS"])
    ]
    # editing a text is done with the keys of Textual's own fields
    editing = {binding.action for field in (Input, TextArea) for _, binding in BindingsMap(field.BINDINGS)}
    commands = [(name, binding) for name, binding in own if binding.action not in editing]
    assert len(commands) > 150
    assert [(name, binding.key) for name, binding in commands if binding.id not in ids] == []
    shared = [(each.__name__, key) for each, keys in by_class.items() for key in keys if len(keys[key]) > 1]
    assert shared == []


def test_every_command_says_what_it_does_in_a_sentence() -> None:
    assert [c.id for c in TABLE if not c.help.endswith((".", "…"))] == []


def test_hints_come_most_useful_first() -> None:
    shown = hints(("prompt", "app"))
    assert shown[0].id == "prompt.send"
    assert [c.hint for c in shown] == sorted(c.hint for c in shown)


def test_keys_are_shown_as_people_know_them() -> None:
    assert [key_text(key) for key in ("ctrl+j", "escape", "f1", "shift+tab", "slash")] == [
        "^j",
        "esc",
        "f1",
        "shift+tab",
        "/",
    ]


def test_each_other_word_finds_commands_that_there_are_and_that_do_not_say_it_themselves() -> None:
    rows = {row.id: row for row in TABLE}
    for word, ids in SYNONYMS.items():
        for each in ids:
            row = rows[each]
            assert word not in {row.label, row.slash}
            assert word in searched(row)

"""A batch being decided: which key changes which rows, and what leaves the screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

import pytest

from workbench.engine.scope import rejected
from workbench.tui.approval import (
    ApprovalRequest,
    ApprovalResult,
    Batch,
    Proposal,
    Verdict,
)
from workbench.tui.events import CallInfo, Permission
from workbench.tui.screens.held import Grace


def covers(proposal: Proposal, tool: str, arguments: Mapping[str, Any]) -> bool:
    return proposal.tool == tool and all(
        name in arguments and fnmatchcase(str(arguments[name]), pattern)
        for name, pattern in proposal.arguments.items()
    )


def call(call_id: str, path: str, permission: Permission = "ask", name: str = "write") -> CallInfo:
    return CallInfo(call_id, name, {"path": path}, permission, "writes")


def request(*calls: CallInfo) -> ApprovalRequest:
    return ApprovalRequest(
        "agent",
        "offline",
        1,
        1,
        calls,
        check=lambda tool, arguments: None,
        preview=lambda tool, arguments: None,
        covers=covers,
        opened=0.0,
    )


@pytest.fixture
def batch() -> Batch:
    return Batch(request(call("a", "x/1"), call("b", "x/2"), call("c", "y/3")))


def decisions(batch: Batch) -> list[str | None]:
    return [row.decision for row in batch.rows]


def test_a_verdict_changes_its_own_row_and_highlights_the_next_undecided_one(batch: Batch) -> None:
    batch.go(1)

    batch.approve()

    assert decisions(batch) == [None, "approve", None]
    assert batch.cursor == 2


def test_after_the_last_row_the_first_undecided_one_is_next(batch: Batch) -> None:
    batch.go(2)

    batch.reject("no")

    assert batch.cursor == 0


def test_the_highlight_stays_when_nothing_is_undecided(batch: Batch) -> None:
    batch.decide_rest("approve")
    batch.go(1)

    batch.reject()

    assert batch.cursor == 1


def test_the_rest_is_decided_without_touching_what_was_decided(batch: Batch) -> None:
    batch.reject("because")

    assert batch.decide_rest("approve") == 2
    assert decisions(batch) == ["reject", "approve", "approve"]
    assert batch.rows[0].reason == "because"


def test_allowed_calls_run_from_the_start_and_denied_ones_never_do() -> None:
    batch = Batch(request(call("a", "1", "allow"), call("b", "2", "deny"), call("c", "3")))
    assert decisions(batch) == ["approve", "reject", None]
    assert batch.cursor == 2

    batch.go(1)
    assert not batch.approve()
    batch.go(1)
    assert not batch.edit({"path": "other"})
    batch.go(1)
    assert not batch.remember(Proposal("session", "write"))
    batch.decide_rest("approve")

    assert [verdict.decision for verdict in batch.result().verdicts] == ["approve", "reject", "approve"]


def test_a_decision_of_an_earlier_handler_is_taken_over_unless_the_policy_denies() -> None:
    rejected = replace(call("a", "1"), decision="reject", reason="not this one")
    denied = replace(call("b", "2", "deny"), decision="approve")

    result = Batch(request(rejected, denied)).result()

    assert result.verdicts == (Verdict("a", "reject", "not this one"), Verdict("b", "reject"))


def test_a_call_without_a_verdict_is_rejected_in_the_result(batch: Batch) -> None:
    batch.approve()

    assert [verdict.decision for verdict in batch.result().verdicts] == ["approve", "reject", "reject"]


def test_stopping_rejects_everything_and_remembers_nothing(batch: Batch) -> None:
    batch.remember(Proposal("project", "write"))

    result = batch.stopped()

    assert result.stop
    assert result.grants == ()
    assert {verdict.decision for verdict in result.verdicts} == {"reject"}


def test_edited_arguments_run_instead_and_later_changes_to_them_do_not_matter(batch: Batch) -> None:
    typed = {"path": "z/9"}
    batch.edit(typed)
    typed["path"] = "changed"

    assert batch.result().verdicts[0] == Verdict("a", "approve", arguments={"path": "z/9"})


def test_the_arguments_that_the_model_sent_take_an_edit_back(batch: Batch) -> None:
    batch.edit({"path": "z/9"})
    batch.go(0)
    batch.edit({"path": "x/1"})

    assert batch.result().verdicts[0] == Verdict("a", "approve")


def test_unchanged_arguments_are_no_verdict(batch: Batch) -> None:
    batch.edit({"path": "x/1"})

    assert batch.undecided == (0, 1, 2)


def test_a_rejected_call_is_rejected_although_it_was_edited_before(batch: Batch) -> None:
    batch.edit({"path": "z/9"})
    batch.go(0)
    batch.reject("after all")

    assert batch.result().verdicts[0] == Verdict("a", "reject", "after all")


def test_a_grant_runs_the_undecided_calls_that_it_covers_and_no_others(batch: Batch) -> None:
    proposal = Proposal("session", "write", {"path": "x/*"})
    assert batch.covered(proposal) == (1,)

    assert batch.remember(proposal)

    assert decisions(batch) == ["approve", "approve", None]
    assert batch.result().grants == (proposal,)


def test_a_grant_never_turns_a_rejection_round(batch: Batch) -> None:
    batch.go(1)
    batch.reject()
    batch.go(0)

    batch.remember(Proposal("session", "write"))

    assert decisions(batch) == ["approve", "reject", "approve"]


def test_a_grant_that_misses_the_highlighted_call_changes_nothing(batch: Batch) -> None:
    assert not batch.remember(Proposal("session", "write", {"path": "y/*"}))
    assert decisions(batch) == [None, None, None]


def test_a_plain_verdict_takes_the_grant_back_and_leaves_the_other_rows(batch: Batch) -> None:
    batch.remember(Proposal("session", "write"))
    batch.go(0)

    batch.reject()

    assert batch.result().grants == ()
    assert decisions(batch) == ["reject", "approve", "approve"]


def test_a_grant_for_these_calls_only_does_not_leave_the_batch(batch: Batch) -> None:
    batch.remember(Proposal("once", "write"))

    assert batch.result().grants == ()
    assert decisions(batch) == ["approve", "approve", "approve"]


def test_the_same_grant_leaves_once(batch: Batch) -> None:
    for index in range(3):
        batch.go(index)
        batch.remember(Proposal("session", "write"))

    assert batch.result().grants == (Proposal("session", "write"),)


def test_an_unanswered_batch_runs_nothing() -> None:
    result = Batch(request(call("a", "1"))).result()

    assert result == ApprovalResult((Verdict("a", "reject"),))


def test_the_model_reads_who_rejected_and_why() -> None:
    assert rejected("too early") == "Rejected by the user: too early"
    assert rejected(None) == "Rejected by the user."


def test_a_copied_request_does_not_change_with_the_original() -> None:
    arguments: dict[str, Any] = {"paths": ["a"]}
    copied = request(CallInfo("a", "write", arguments, "ask")).copied()

    arguments["paths"].append("b")

    assert copied.calls[0].arguments == {"paths": ["a"]}


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_keys_are_held_until_none_came_for_a_while() -> None:
    clock = Clock()
    grace = Grace(clock, quiet=0.5, writing=1.5)
    held = []
    for pause in (0.25, 1.0, 0.75, 1.25):
        clock.now += pause
        held.append(grace.holds_key("y"))
    assert held == [True] * 4

    clock.now += 1.5
    assert not grace.holds_key("y")
    assert not grace.holds_key("y"), "once over, it stays over"


def test_who_waited_decides_sooner_than_who_is_writing() -> None:
    clock = Clock()
    waited, writing = Grace(clock, quiet=0.5, writing=1.5), Grace(clock, quiet=0.5, writing=1.5)
    writing.someone_writes()

    clock.now += 1

    assert not waited.holds_key("y")
    assert writing.holds_key("y")


def test_a_key_that_no_prose_has_ends_the_wait_and_does_nothing_else() -> None:
    grace = Grace(Clock(), quiet=0.5, writing=1.5)

    assert grace.holds_key("tab")
    assert not grace.holds_key("y")


def test_the_grace_period_can_begin_again() -> None:
    clock = Clock()
    grace = Grace(clock, quiet=0.5)
    clock.now += 1
    assert not grace.holds()

    grace.restart()

    assert grace.holds()


def test_whatever_was_decided_is_undone_step_by_step(batch: Batch) -> None:
    at_first = batch.state()
    batch.approve()
    batch.edit({"path": "other"})
    batch.remember(Proposal("session", "write"))
    assert batch.undecided == ()

    assert batch.undo() != ()
    assert batch.rows[1].arguments == {"path": "other"}
    assert batch.grants == ()
    assert batch.undo() == (1,)
    assert batch.undo() == (0,)
    assert batch.state() == at_first
    assert batch.undo() == ()


def test_a_step_that_changed_nothing_is_not_one_to_undo(batch: Batch) -> None:
    batch.approve()
    batch.go(0)
    batch.approve()

    assert batch.undo() == (0,)
    assert batch.rows[0].decision is None


def test_what_was_taken_back_as_prose_is_not_undone_again(batch: Batch) -> None:
    batch.reject()
    before = batch.state()
    batch.decide_rest("approve")
    batch.restore(before)

    assert batch.undo() == (0,)
    assert batch.undo() == ()

"""The words of the approval screen."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from workbench.engine.scope import rejected
from workbench.tui.approval import NO_SUCH_TOOL, SWITCHED_OFF, UNFIT, Batch, BatchRow, Proposal
from workbench.tui.commands import key_text_of
from workbench.tui.render import arguments_text, count_text
from workbench.visible import visible_line

SCOPE_TEXT: Final = {
    "once": "for these calls only",
    "session": "until you quit",
    "project": "for this project",
}
_PATTERN_LIMIT: Final = 80
_BEGINNING: Final = 200
_MOST_NAMED: Final = 6


def waited_text(seconds: float) -> str:
    """``12 s``, ``2:05 m``, ``1:02 h``."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} m"
    return f"{whole // 3600}:{whole % 3600 // 60:02d} h"


def received_text(row: BatchRow, fault: str | None = None) -> tuple[str, str]:
    """What the model will read for one call, and its style key.

    ``fault`` is what is wrong with the arguments: the call gives that and nothing else.
    """
    name = visible_line(row.call.name)
    if row.locked:
        return _refusal(row, name), "text"
    if row.decision == "reject":
        return rejected(visible_line(row.reason) if row.reason else None), "text"
    if row.decision is None:
        return "no verdict yet", "muted"
    if fault is not None:
        return visible_line(fault), "error"
    if row.edited is not None:
        return f"what {name} returns, called with your arguments", "muted"
    return f"what {name} returns", "muted"


def _refusal(row: BatchRow, name: str) -> str:
    """What the model will read of a call that cannot run."""
    if row.call.asks_because == NO_SUCH_TOOL:
        return f"that there is no tool {name}"
    if row.call.asks_because == UNFIT:
        return f"what is wrong with the arguments for {name}"
    off = row.call.asks_because == SWITCHED_OFF
    because = visible_line(row.call.reason or ("" if off else row.call.asks_because))
    what = f"that {name} is switched off" if off else "that the policy denies it"
    return f"{what}: {because}" if because else what


def locked_text(index: int, row: BatchRow) -> str:
    """Why no verdict can let a call run."""
    why = {
        SWITCHED_OFF: "its tool is switched off",
        NO_SUCH_TOOL: "there is no tool of this name",
        UNFIT: "its arguments do not fit, and the model is told so",
    }
    because = why.get(row.call.asks_because, "the policy denies it")
    return f"Call {index + 1}: {because}; no verdict can let it run."


def proposal_text(proposal: Proposal) -> str:
    """A grant in a few words: the tool, and its arguments if they matter."""
    name = visible_line(proposal.tool)
    shown = {
        argument: pattern if len(pattern) <= _PATTERN_LIMIT else pattern[: _PATTERN_LIMIT - 20] + "…"
        for argument, pattern in proposal.arguments.items()
    }
    return f"{name}({arguments_text(shown)})" if shown else f"every {name}"


def exact_text(text: str, *, fits: bool) -> str:
    """What stands for an argument whose pattern is too long to edit, or that has none."""
    if not fits:
        return "no pattern fits this value"
    lines = text.count("\n") + 1
    size = size_text(len(text)) + (f" in {lines} lines" if lines > 1 else "")
    return f"this exact text, {size}: {visible_line(text[:_BEGINNING])}"


def outcome_text(batch: Batch) -> str:
    """What submitting does: ``Run 2, reject 1``."""
    run, reject = batch.count("approve"), sum(row.rejected for row in batch.rows)
    parts = [f"run {run}"] if run else []
    parts += [f"reject {reject}"] if reject else []
    parts += [f"remember {len(batch.grants)}"] if batch.grants else []
    return ", ".join(parts).capitalize() or "Go on"


def undone_text(changed: Collection[int]) -> str:
    """What undoing did; ``changed`` are the calls that are as before."""
    if not changed:
        return "There is nothing to undo: no verdict was given."
    return f"Taken back: {calls_text(changed)} {'is' if len(changed) == 1 else 'are'} as before."


def renewed_text(touched: Collection[int]) -> str:
    """That the code behind these calls changed while they wait."""
    return f"Code has changed since: {calls_text(touched)} would run as the tool is now."


def withdrawn_text(why: str, written: str, edited: str) -> str:
    """That a question went away before it was answered, and where what was being written is."""
    said = f"None of the calls ran: {visible_line(why)}."
    if edited:
        return f"{said} The arguments you were editing were copied: {size_text(len(edited))}."
    return f"{said} What you wrote is in your draft." if written else said


def size_text(characters: int) -> str:
    """How long a text is, for people."""
    return f"{count_text(characters)} characters" if characters != 1 else "1 character"


def marked(indices: Collection[int]) -> str:
    """Row numbers for people: ``2, 5 and 6``."""
    numbers = [str(index + 1) for index in sorted(indices)]
    return " and ".join([", ".join(numbers[:-1]), numbers[-1]]) if len(numbers) > 1 else "".join(numbers)


def calls_text(indices: Collection[int]) -> str:
    """The same for one line, that of many says how many there are: ``calls 2, 5 and 6``, ``32 calls``."""
    if len(indices) == 1:
        return f"call {marked(indices)}"
    return f"calls {marked(indices)}" if len(indices) <= _MOST_NAMED else f"{len(indices)} calls"


def coverage_text(proposal: Proposal, others: Collection[int]) -> list[str]:
    """What confirming a grant would do, line by line."""
    here = f"call {marked(others)}" if len(others) == 1 else f"calls {marked(others)}"
    now = "Runs this call" + (f" and {here}, marked above." if others else "; it covers no other call here.")
    what = proposal_text(proposal)
    later = {
        "once": "Nothing is remembered after this batch.",
        "session": f"Until you quit or /grants takes it back, {what} runs without asking.",
        "project": f"In this project, {what} runs without asking until you take it back with /grants.",
    }
    return [now, later[proposal.scope], "Nothing runs before you submit. A deny rule stays stronger."]


def once_text(names: Collection[str]) -> list[str]:
    """What confirming does where these arguments have no pattern."""
    which = ", ".join(visible_line(name) for name in names)
    return [
        f"No pattern fits the value of {which}, so these arguments can run once only.",
        "Runs this call; nothing is remembered.",
        "Nothing runs before you submit.",
    ]


def remembered_text(proposal: Proposal | None, others: Collection[int]) -> str:
    """What confirming a grant has done."""
    undo = key_text_of("approval.undo")
    if proposal is None:
        return f"It runs, this once; nothing is remembered. {undo} takes it back."
    more = f", and so {'does' if len(others) == 1 else 'do'} {calls_text(others)}" if others else ""
    kept = "nothing is remembered" if proposal.scope == "once" else f"kept {SCOPE_TEXT[proposal.scope]}"
    return f"It runs{more}; {kept}. {undo} takes it back."

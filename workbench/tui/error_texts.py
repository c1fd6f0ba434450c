"""What went wrong, in words for people."""

from __future__ import annotations

from workbench.errors import ProviderError, WorkbenchError


def error_texts(error: BaseException) -> tuple[str, str]:
    """What happened and what to do about it, for people."""
    hint = error.hint if isinstance(error, WorkbenchError) else ""
    notes = " ".join(getattr(error, "__notes__", ()))
    text = str(error) if isinstance(error, WorkbenchError) else f"{type(error).__name__}: {error}"
    return (f"{text} {notes}".strip(), hint)


def traceback_of(error: BaseException) -> str:
    """Where in somebody's code it came up; empty for what a model's provider said."""
    from workbench.engine.faults import describe_fault  # with the engine, which the first frame does without

    return "" if isinstance(error, ProviderError) else str(describe_fault(error)["traceback"])

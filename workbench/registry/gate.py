"""Decides whether a call may run: by policy, by grants, by asking. Without a yes it may not."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

from workbench.errors import StopTurn, ToolDeniedError, ToolRejected
from workbench.registry.changes import ChangeEventType
from workbench.registry.emitter import Emitter
from workbench.registry.grants import Grant, GrantBook, GrantScope
from workbench.registry.permissions import (
    Decision,
    PermissionHandler,
    PermissionPolicy,
    PermissionRequest,
    PermissionResult,
)
from workbench.registry.statistics import StatisticsBook
from workbench.registry.texts import text_of
from workbench.registry.tool import BoundCall, Tool

logger = logging.getLogger(__name__)

Waiter: TypeAlias = Callable[[Awaitable[Any]], Any]
"""Waits for an awaitable, from code that is not async, and gives its value."""

_NO = "the person asked said no"
_ASKED = "Change the permission policy, grant it, or answer yes when asked."
_DENIED_BY_RULE = "Nobody is asked where a rule denies, and no grant counts: only another rule lets it run."
_DENIED_BY_DEFAULT = "The policy denies what no rule allows: a rule that allows this call lets it run."


class Gate:
    """The permission check in front of every call."""

    def __init__(self, policy: PermissionPolicy, emitter: Emitter, statistics: StatisticsBook) -> None:
        self.policy = policy
        self.handler: PermissionHandler | None = None
        self.book = GrantBook()
        self._emitter = emitter
        self._statistics = statistics

    def evaluate(self, tool: Tool, arguments: Mapping[str, Any]) -> Decision:
        """What policy and grants say; nothing is asked, told or used up."""
        policy = self.policy
        decision = policy.evaluate(tool, arguments)
        if decision.result is not PermissionResult.ASK or not self.book.grants:
            return decision
        grant = self.book.find(tool, arguments)
        if grant is None:
            return decision
        denying = policy.denying_rule(tool, arguments)
        if denying is not None:
            return Decision(PermissionResult.DENY, denying.phrase, denying)
        return Decision(PermissionResult.ALLOW, grant.phrase, decision.rule, grant)

    def grant(self, grant: Grant) -> bool:
        """Put a grant in force; False when it already was."""
        added = self.book.add(grant)
        if added:
            self._tell(grant)
        return added

    def revoke(self, grant: Grant | str) -> bool:
        """Take a grant, or the one of that id, out of force; False when it was not."""
        removed = self.book.remove(grant)
        if removed is not None:
            self._tell(removed)
        return removed is not None

    def check(
        self, bound: BoundCall, approved: bool | None, call_id: str | None, origin: tuple[str, ...]
    ) -> PermissionRequest | None:
        """Let the call pass (None), or give the question that has to be answered first.

        Raises:
            ToolDeniedError: when the policy denies it, or ``approved`` is False.
        """
        if self.policy.allows_all and approved is not False:
            return None
        decision = self._use(bound.tool, bound.arguments)
        if decision.result is PermissionResult.ALLOW and approved is not False:
            return None
        request = PermissionRequest(
            bound.tool, bound.arguments, decision.reason, decision.rule, call_id, origin
        )
        if decision.result is PermissionResult.ASK:
            self._emit(ChangeEventType.PERMISSION_ASKED, request, decision.reason)
            if approved is None:
                return request
        if decision.result is not PermissionResult.DENY:
            if approved is True:
                return None
            raise self.denial(request, _NO)
        rule = decision.rule
        if rule is None:
            raise self.denial(request, decision.reason, hint=_DENIED_BY_DEFAULT)
        why = f"{rule.reason}; denied by a rule" if rule.reason else "denied by a rule"
        raise self.denial(request, f"{why}: {rule.spelled}", hint=_DENIED_BY_RULE)

    def ask(self, request: PermissionRequest, wait: Waiter) -> None:
        """Ask the handler and wait, with ``wait`` for an async one; returns only after an explicit yes.

        Raises:
            ToolDeniedError: for any other answer.
        """
        with self._asking(request):
            answer = self._put(request)
            self._settle(wait(answer) if inspect.isawaitable(answer) else answer)

    async def ask_async(self, request: PermissionRequest) -> None:
        """As `ask`, on the caller's loop."""
        with self._asking(request):
            answer = self._put(request)
            self._settle(await answer if inspect.isawaitable(answer) else answer)

    def denial(self, request: PermissionRequest, reason: str, *, hint: str = _ASKED) -> ToolDeniedError:
        """Note and tell that the call was denied; gives the error to raise."""
        self._statistics.denied(request.tool.name)
        self._emit(ChangeEventType.PERMISSION_DENIED, request, reason)
        return ToolDeniedError(
            f"{request.tool.name} was not allowed to run: {reason}",
            hint=hint,
        )

    def _use(self, tool: Tool, arguments: Mapping[str, Any]) -> Decision:
        while True:
            decision = self.evaluate(tool, arguments)
            grant = decision.grant
            if grant is None or grant.scope is not GrantScope.ONCE:
                return decision
            if self.book.remove(grant) is not None:
                self._tell(grant)
                return decision

    def _tell(self, grant: Grant) -> None:
        """Tell subscribers that the grants in force changed."""
        self._emitter.publish(
            ChangeEventType.METADATA_UPDATE, None, None, fields=["grants"], grant=grant.to_dict()
        )

    def _put(self, request: PermissionRequest) -> Any:
        handler = self.handler
        if handler is None:
            raise ToolDeniedError(f"it needs a yes ({request.reason}) and nobody can be asked")
        return handler(request)

    @contextmanager
    def _asking(self, request: PermissionRequest) -> Iterator[None]:
        """Whatever asking raises becomes the denial, except a stop, which stays what it is."""
        try:
            yield
        except StopTurn:
            self.denial(request, "stopped")
            raise
        except Exception as error:
            raise self._failed(request, error) from error

    def _failed(self, request: PermissionRequest, error: Exception) -> ToolDeniedError:
        if isinstance(error, (ToolRejected, ToolDeniedError)):
            return self.denial(request, text_of(error) or _NO)
        logger.error("the permission handler failed for %s", request.tool.name, exc_info=error)
        return self.denial(request, f"asking failed ({type(error).__name__}: {text_of(error)})")

    @staticmethod
    def _settle(answer: object) -> None:
        if answer is True or answer is PermissionResult.ALLOW:
            return
        if isinstance(answer, Decision):
            if answer.result is PermissionResult.ALLOW:
                return
            raise ToolDeniedError(answer.reason)
        if answer is False or answer is PermissionResult.DENY:
            raise ToolDeniedError
        given = "nothing" if answer is None else type(answer).__name__
        raise ToolDeniedError(f"the permission handler answered with {given}, which is no explicit yes")

    def _emit(self, event_type: ChangeEventType, request: PermissionRequest, reason: str) -> None:
        self._emitter.publish(
            event_type,
            request.tool.name,
            reason,
            arguments=dict(request.arguments),
            call_id=request.call_id,
            origin=request.origin,
        )

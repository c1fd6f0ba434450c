"""The registry: which tools there are, which are on, who may call them, and who is told of changes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any, TypeVar, overload

from workbench.registry.calls import CallPath, Runner
from workbench.registry.catalog import Catalog
from workbench.registry.changes import ChangeEventType, PostRegisterHook
from workbench.registry.emitter import AnyCallback, Emitter, EventFilter
from workbench.registry.gate import Gate, Waiter
from workbench.registry.grants import Grant
from workbench.registry.loops import run_privately
from workbench.registry.making import make_tools, make_version
from workbench.registry.metadata import ToolMetadata
from workbench.registry.permissions import Decision, PermissionHandler, PermissionPolicy
from workbench.registry.snapshot import Snapshot
from workbench.registry.statistics import StatisticsBook, ToolStatistics
from workbench.registry.tool import Tool

logger = logging.getLogger(__name__)

_Anything = TypeVar("_Anything")
_NOTHING: Any = object()


class ToolRegistry:
    """Tools by name: ``registry.register(function)``, ``registry.call("function", {…})``.

    Reading never waits: it sees the state as the last change left it. Every change is told to the
    callbacks of `on_change` after it happened, each exactly once, to all in the same order. Wherever a
    name is wanted, the dotted and the safe name will both do.
    """

    def __init__(self, policy: PermissionPolicy | None = None) -> None:
        """``policy`` says what runs, what asks and what is denied; None lets everything run."""
        self._emitter = Emitter()
        self._catalog = Catalog(self._emitter)
        self._statistics = StatisticsBook()
        self._gate = Gate(policy or PermissionPolicy.open(), self._emitter, self._statistics)
        self._path = CallPath(self._gate, self._emitter, self._statistics)
        self._hooks: tuple[PostRegisterHook, ...] = ()

    # Registering

    @overload
    def register(
        self,
        obj: _Anything,
        *,
        name: str | None = ...,
        namespace: str | None = ...,
        metadata: ToolMetadata | None = ...,
    ) -> _Anything: ...

    @overload
    def register(
        self, *, name: str | None = ..., namespace: str | None = ..., metadata: ToolMetadata | None = ...
    ) -> Callable[[_Anything], _Anything]: ...

    def register(
        self,
        obj: Any = _NOTHING,
        *,
        name: str | None = None,
        namespace: str | None = None,
        metadata: ToolMetadata | None = None,
    ) -> Any:
        """Register what is callable in ``obj``, return ``obj``; also a decorator with or without arguments.

        Args:
            obj: A function, a method, a callable, a `Tool`; or a module, class or instance, whose public
                functions are registered below its name.
            name: Instead of its own name, where ``obj`` holds one tool.
            namespace: What the names stand below: ``files`` makes ``files.read``; empty for nothing.
            metadata: On top of what the ``tool`` decorator says.

        Raises:
            ToolRegistrationError: when it cannot become a tool, or a name is taken; then nothing changed.
        """
        if obj is _NOTHING:
            return lambda decorated: self.register(
                decorated, name=name, namespace=namespace, metadata=metadata
            )
        self.add(obj, name=name, namespace=namespace, metadata=metadata)
        return obj

    def add(
        self,
        obj: object,
        *,
        name: str | None = None,
        namespace: str | None = None,
        metadata: ToolMetadata | None = None,
    ) -> tuple[Tool, ...]:
        """As `register`, but gives the tools that were made, all of them or none."""
        tools = make_tools(obj, name=name, namespace=namespace, metadata=metadata)
        hooks = self._hooks
        self._catalog.add(tools, (lambda each: self._ask_hooks(each, hooks)) if hooks else None)
        return tools

    def unregister(self, name: str) -> Tool:
        """Take a tool out and give it back; raises ToolNotFoundError."""
        return self._catalog.remove(name)

    def refresh(
        self, name: str, obj: object, *, metadata: ToolMetadata | None = None, force: bool = False
    ) -> bool:
        """Put a newer version in a tool's place; it keeps what was set at run time, statistics and grants.

        The event carries what changed (see `refreshing.changes`). A version that acts and looks the same
        takes the place without an event, unless ``force`` says that something below it changed.

        Returns:
            Whether an event was emitted.

        Raises:
            ToolNotFoundError: when there is none of that name.
            ToolRegistrationError: when the newer version cannot be a tool; the older one stays.
        """
        return self._catalog.replace(make_version(self.resolve(name), obj, metadata), force=force)

    def refresh_all(
        self, objects: Mapping[str, object], *, force: Container[str] = ()
    ) -> dict[str, dict[str, Any]]:
        """Put newer versions in many tools' places in one step, told by one REFRESH_ALL.

        As with `refresh`, versions that act and look the same are not told of, except those that ``force``
        names; without any change there is no event.

        Returns:
            What changed, by dotted name, of the tools told of; also in the event's metadata as ``tools``.

        Raises:
            ToolNotFoundError, ToolRegistrationError: as `refresh`; nothing is replaced then.
        """
        fresh = [make_version(self.resolve(name), obj) for name, obj in objects.items()]
        return self._catalog.replace_all(fresh, force)

    def update_metadata(self, name: str, **changes: Any) -> bool:
        """Change a tool's metadata at run time: ``update_metadata("add", timeout=5)``.

        The event's metadata has ``fields`` (names) and ``changes`` (name -> ``old`` and ``new``).

        Returns:
            Whether anything changed.

        Raises:
            ToolNotFoundError: when there is none of that name.
            TypeError, ValueError: for unknown fields and impossible values.
        """
        return self._catalog.update(name, changes)

    def add_post_register_hook(self, hook: PostRegisterHook) -> None:
        """Call ``hook(name, tool, registry)`` for each new tool; a text it returns switches the tool off.

        Until the hooks have ended the tool can be seen, but not called.
        """
        if not callable(hook):
            raise TypeError(f"a post-register hook must be callable, not {hook!r}")
        with self._catalog.change():
            self._hooks = (*self._hooks, hook)

    def _ask_hooks(self, tool: Tool, hooks: tuple[PostRegisterHook, ...]) -> str | None:
        reasons: list[str] = []
        for hook in hooks:
            try:
                answer = hook(tool.name, tool, self)
            except (Exception, SystemExit):  # a hook of a tool file may call exit()
                logger.exception("a post-register hook failed on %s: %r", tool.name, hook)
            else:
                if isinstance(answer, str) and answer:
                    reasons.append(answer)
        return reasons[0] if reasons else None

    # Switching on and off

    def enable(self, name: str) -> bool:
        """Switch a tool on; True when it was off. Raises ToolNotFoundError."""
        return self._catalog.enable(name)

    def disable(self, name: str, reason: str | None = None) -> bool:
        """Switch a tool off; True when it was on, or off for another reason. Raises ToolNotFoundError."""
        return self._catalog.disable(name, reason)

    def enable_group(self, namespace: str | None = None, *, tag: str | None = None) -> list[str]:
        """Switch on the tools of a namespace (and below it), of a tag, or all; names of those changed."""
        return self._catalog.enable_group(namespace, tag)

    def disable_group(
        self, namespace: str | None = None, *, tag: str | None = None, reason: str | None = None
    ) -> list[str]:
        """As `enable_group`, off. A tool that is off already keeps its own reason."""
        return self._catalog.disable_group(namespace, tag, reason)

    def is_enabled(self, name: str) -> bool:
        """Whether the tool exists and is on."""
        state = self._state
        tool = state.find(name)
        return tool is not None and tool.name not in state.disabled

    def get_disable_reason(self, name: str) -> str | None:
        """Why the tool is off; None when it is on, or off without a reason."""
        state = self._state
        tool = state.find(name)
        return (state.disabled.get(tool.name) or None) if tool is not None else None

    # Being told

    def on_change(self, callback: AnyCallback, *, only: EventFilter | None = None) -> Callable[[], bool]:
        """Call back after each change from now on; ``async def`` callbacks are awaited on their loop.

        ``only`` is an event type, several of them, or a predicate. Gives a function that unsubscribes.
        """
        subscription = self._emitter.subscribe(callback, only)
        return lambda: self._emitter.unsubscribe(subscription)

    def remove_on_change(self, callback: AnyCallback) -> bool:
        """Take a callback out; False when it was not there."""
        found = self._emitter.find(callback)
        return found is not None and self._emitter.unsubscribe(found)

    # Reading

    def get(self, name: str) -> Tool | None:
        """The tool of that name, or None."""
        return self._state.find(name)

    def meant(self, name: str) -> Tool | None:
        """The tool that a model means: as `get`, or by a last part of its name that no other tool has."""
        return self._state.meant(name)

    def resolve(self, name: str) -> Tool:
        """The tool of that name; raises ToolNotFoundError, whose message lists near names."""
        return self._state.resolve(name)

    def schemas(self) -> list[dict[str, Any]]:
        """The tools that are on, as a request's ``tools`` list in OpenAI format; its entries are shared."""
        return self._state.schemas().copy()

    def statistics(self, name: str) -> ToolStatistics:
        """A copy of the tool's counts and times; they outlive its replacement and its removal."""
        tool = self._state.find(name)
        return self._statistics.of(tool.name if tool is not None else name)

    def note_wrong_call(self, name: str, given: object, error: str) -> None:
        """Count a call whose arguments could not even be read, so that it was never made."""
        tool = self._state.meant(name)
        if tool is not None:
            self._statistics.invalid(tool.name, given, error)

    def __contains__(self, name: object) -> bool:
        return self._state.find(name) is not None

    def __len__(self) -> int:
        return len(self._state.tools)

    def __iter__(self) -> Iterator[Tool]:
        return iter(tuple(self._state.tools.values()))

    @property
    def _state(self) -> Snapshot:
        return self._catalog.state

    # Permissions

    @property
    def policy(self) -> PermissionPolicy:
        """The rules in force."""
        return self._gate.policy

    @policy.setter
    def policy(self, policy: PermissionPolicy) -> None:
        if not isinstance(policy, PermissionPolicy):
            raise TypeError(f"policy must be a PermissionPolicy, not {policy!r}")
        with self._catalog.change():
            if policy != self._gate.policy:
                self._gate.policy = policy
                self._emitter.note(ChangeEventType.METADATA_UPDATE, None, None, fields=["policy"])

    @property
    def permission_handler(self) -> PermissionHandler | None:
        """Who is asked; None denies whatever would be asked."""
        return self._gate.handler

    @permission_handler.setter
    def permission_handler(self, handler: PermissionHandler | None) -> None:
        self._gate.handler = handler

    @property
    def grants(self) -> tuple[Grant, ...]:
        """The grants in force, oldest first."""
        return self._gate.book.grants

    def grant(self, grant: Grant) -> bool:
        """Put a grant in force; False when it already was."""
        return self._gate.grant(grant)

    def revoke(self, grant: Grant | str) -> bool:
        """Take a grant, or the one of that id, out of force; False when it was not."""
        return self._gate.revoke(grant)

    def evaluate(self, tool: Tool | str, arguments: Mapping[str, Any]) -> Decision:
        """What policy and grants say about a call; nothing is asked, told or used up."""
        return self._gate.evaluate(self.resolve(tool) if isinstance(tool, str) else tool, arguments)

    # Calling

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | str,
        *,
        approved: bool | None = None,
        call_id: str | None = None,
        origin: tuple[str, ...] = (),
        runner: Runner | None = None,
        waiter: Waiter = run_privately,
    ) -> Any:
        """Find, validate, permit and run a tool; the one way to run one.

        ``arguments`` may be JSON text. ``approved`` is an answer given in advance to what the policy
        asks; what it denies stays denied. ``runner`` runs the bound call in its own way; without it the
        call runs here. ``waiter`` waits for what is async: an async tool without a runner, an async
        permission handler; without it each gets a private loop.

        Raises:
            ToolNotFoundError, ToolDisabledError, ToolArgumentsError, ToolDeniedError: it did not run.
            Exception: whatever the tool raises, as it is.
        """
        bound = self._path.bind(self._catalog.state, name, arguments)
        request = self._gate.check(bound, approved, call_id, origin)
        if request is not None:
            self._gate.ask(request, waiter)
        return self._path.run(bound, call_id, runner, waiter)

    async def acall(
        self,
        name: str,
        arguments: Mapping[str, Any] | str,
        *,
        approved: bool | None = None,
        call_id: str | None = None,
        origin: tuple[str, ...] = (),
        runner: Runner | None = None,
    ) -> Any:
        """As `call` for async code: async tools on this loop, others on a thread (see ``caller_thread``)."""
        bound = self._path.bind(self._catalog.state, name, arguments)
        request = self._gate.check(bound, approved, call_id, origin)
        if request is not None:
            await self._gate.ask_async(request)
        return await self._path.arun(bound, call_id, runner)

"""Who may call what: ordered rules that allow, ask or deny, with a default for everything else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from workbench.errors import ConfigError
from workbench.registry import matching
from workbench.registry.metadata import ToolTag
from workbench.registry.tool import Tool

if TYPE_CHECKING:
    from workbench.registry.grants import Grant

_RULE_KEYS = ("result", "tool", "tags", "without_tags", "arguments", "reason")


class PermissionResult(StrEnum):
    """What a policy says about a call."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"

    @classmethod
    def of(cls, value: object) -> PermissionResult:
        """The member that is meant by itself or by its text; raises ConfigError for anything else."""
        if isinstance(value, str) and value in cls._value2member_map_:
            return cls(value)
        said = "says nothing" if value is None else f"says {value!r}"
        raise ConfigError(f"it {said}; it must say allow, ask or deny")


@dataclass(frozen=True)
class PermissionRule:
    """One rule. What it names must fit: a rule that allows must fit entirely, others in any part.

    Attributes:
        result: What the rule says.
        tool: Glob over the dotted name or the safe name: ``files.*``. Without a dot it is about the last part
            of the name too: ``write_file`` fits ``files.write_file``. A rule that allows needs the whole
            name of a tool of an MCP server.
        tags: A rule that allows wants all of them on the tool, others any one.
        without_tags: The rule does not apply to a tool with any of these.
        arguments: Parameter -> glob over its value. Shell text is matched command by command, so that
            ``git *`` does not fit ``git status && rm -rf /``. A pattern without wildcards allows just this
            command: ``git push`` does not allow ``git push --force``, but denies it. ``..`` in paths is
            followed.
        reason: A short phrase for the person asked and the model; empty for one made from the rule.
        place: Where the rule is written, ``policy.yaml:3``, or empty. Of no account when rules are compared.
    """

    result: PermissionResult
    tool: str = "*"
    tags: AbstractSet[ToolTag | str] = frozenset()
    without_tags: AbstractSet[ToolTag | str] = frozenset()
    arguments: Mapping[str, str] = field(default_factory=dict, hash=False)
    reason: str = ""
    place: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        """Freeze the collections; raises ConfigError for a result that is none of the three."""
        object.__setattr__(self, "result", PermissionResult.of(self.result))
        object.__setattr__(self, "tags", frozenset(self.tags))
        object.__setattr__(self, "without_tags", frozenset(self.without_tags))
        object.__setattr__(self, "arguments", dict(self.arguments))

    def fits(self, tool: Tool, arguments: Mapping[str, Any]) -> bool:
        """Whether the rule is about this call."""
        allows = self.result is PermissionResult.ALLOW
        if not matching.rule_names(self.tool, tool, entirely=allows):
            return False
        if self.tags:
            shared = self.tags & tool.metadata.tags
            if not (shared == self.tags if allows else shared):
                return False
        if self.without_tags and self.without_tags & tool.metadata.tags:
            return False
        return not self.arguments or matching.arguments_fit(self.arguments, tool, arguments, entirely=allows)

    @property
    def phrase(self) -> str:
        """The reason, or a short one made from what the rule names."""
        if self.reason:
            return self.reason
        if self.arguments:
            return ", ".join(f"{name}: {pattern}" for name, pattern in self.arguments.items())
        if self.tags:
            return ", ".join(_spoken(each) for each in sorted(map(str, self.tags)))
        return {"allow": "allowed by a rule", "ask": "a rule asks", "deny": "denied by a rule"}[
            self.result.value
        ]

    @property
    def spelled(self) -> str:
        """The rule in one line and where it is written: ``deny shell with command: rm * (policy.yaml:3)``."""
        arguments = ", ".join(f"{name}: {pattern}" for name, pattern in self.arguments.items())
        tags = ", ".join(sorted(map(str, self.tags)))
        words = [self.result.value, self.tool]
        words += ["tagged", tags] if tags else []
        words += ["with", arguments] if arguments else []
        words += [f"({self.place})"] if self.place else []
        return " ".join(words)

    @classmethod
    def from_mapping(cls, mapping: object, place: str = "") -> PermissionRule:
        """A rule from plain data; ``place`` is where that is written.

        ``{"deny": "shell.run", "arguments": {"command": "rm *"}}`` or, written out,
        ``{"result": "deny", "tool": "shell.run", …}``.

        Raises:
            ConfigError: saying what is wrong with it.
        """
        if not isinstance(mapping, Mapping):
            raise ConfigError(f"a rule must be a mapping, not {mapping!r}")
        data = _written_out(mapping)
        unknown = [str(key) for key in data if key not in _RULE_KEYS]
        if unknown:
            allowed = ", ".join(("allow/ask/deny", *_RULE_KEYS))
            raise ConfigError(f"unknown key {', '.join(unknown)}; a rule has {allowed}")
        return cls(
            result=PermissionResult.of(data.get("result")),
            tool=_text("tool", data.get("tool", "*")),
            tags=_texts("tags", data.get("tags", ())),
            without_tags=_texts("without_tags", data.get("without_tags", ())),
            arguments=_patterns(data.get("arguments", {})),
            reason=_text("reason", data["reason"]) if "reason" in data else "",
            place=place,
        )


@dataclass(frozen=True)
class Decision:
    """What is to happen with a call, why, and what decided it (None: the policy's default)."""

    result: PermissionResult
    reason: str = ""
    rule: PermissionRule | None = None
    grant: Grant | None = None

    def __post_init__(self) -> None:
        if self.result.__class__ is not PermissionResult:
            object.__setattr__(self, "result", PermissionResult.of(self.result))


_ALLOWED = Decision(PermissionResult.ALLOW)


@dataclass(frozen=True)
class PermissionPolicy:
    """Rules in order, the first that fits decides; ``default`` decides for the rest.

    ``default_reason`` is shown when the default asks or denies; empty for one made from the tool's tags.
    """

    rules: tuple[PermissionRule, ...] = ()
    default: PermissionResult = PermissionResult.ASK
    default_reason: str = ""
    allows_all: bool = field(init=False, repr=False, compare=False, default=False)
    """Whether there is nothing that it asks about or denies."""

    def __post_init__(self) -> None:
        """Freeze the rules; raises ConfigError for a default that is none of the three."""
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "default", PermissionResult.of(self.default))
        object.__setattr__(self, "allows_all", not self.rules and self.default is PermissionResult.ALLOW)

    @classmethod
    def open(cls) -> PermissionPolicy:
        """Everything runs."""
        return cls(default=PermissionResult.ALLOW)

    @classmethod
    def careful(cls) -> PermissionPolicy:
        """Read-only tools run, everything else asks."""
        harmless = PermissionRule(
            PermissionResult.ALLOW,
            tags=frozenset({ToolTag.READ_ONLY}),
            without_tags=frozenset({ToolTag.DESTRUCTIVE, ToolTag.PRIVILEGED}),
            reason="read-only",
        )
        return cls((harmless,))

    @classmethod
    def strict(cls) -> PermissionPolicy:
        """Everything asks."""
        return cls(default_reason="every call asks")

    @classmethod
    def from_rules(
        cls, rules: Iterable[object], *, default: PermissionResult | str = PermissionResult.ASK
    ) -> PermissionPolicy:
        """A policy from plain data, see `PermissionRule.from_mapping`.

        Raises:
            ConfigError: naming the rule, counted from 1, and what is wrong with it.
        """
        read: list[PermissionRule] = []
        for number, each in enumerate(rules, start=1):
            try:
                read.append(PermissionRule.from_mapping(each))
            except ConfigError as error:
                raise ConfigError(f"rule {number}: {error.message}", hint=error.hint) from error
        try:
            fallback = PermissionResult.of(default)
        except ConfigError as error:
            raise ConfigError(f"default: {error.message}", hint=error.hint) from error
        return cls(tuple(read), fallback)

    def with_rules(self, rules: Iterable[PermissionRule]) -> PermissionPolicy:
        """The same policy with these rules ahead of its own."""
        return replace(self, rules=(*rules, *self.rules))

    def evaluate(self, tool: Tool, arguments: Mapping[str, Any]) -> Decision:
        """What the first fitting rule, or else the default, says about a call."""
        for rule in self.rules:
            if rule.fits(tool, arguments):
                return Decision(rule.result, rule.phrase, rule)
        if self.default is PermissionResult.ALLOW:
            return _ALLOWED
        return Decision(self.default, self.default_reason or _why(tool))

    def denying_rule(self, tool: Tool, arguments: Mapping[str, Any]) -> PermissionRule | None:
        """The first rule that denies this call, wherever it stands."""
        for rule in self.rules:
            if rule.result is PermissionResult.DENY and rule.fits(tool, arguments):
                return rule
        return None


@dataclass(frozen=True)
class PermissionRequest:
    """The question that goes to a permission handler.

    Attributes:
        tool: The tool.
        arguments: The validated arguments as Python values.
        reason: Why it is asked, a short phrase.
        rule: The rule that asks, or None for the policy's default.
        call_id: Id of the model's call, if a model made it.
        origin: Names of the agents that the call came through, outermost first.
    """

    tool: Tool
    arguments: Mapping[str, Any]
    reason: str
    rule: PermissionRule | None = None
    call_id: str | None = None
    origin: tuple[str, ...] = ()

    @property
    def tool_name(self) -> str:
        """Dotted name of the tool."""
        return self.tool.name


PermissionHandler: TypeAlias = Callable[[PermissionRequest], Any]
"""Answers a request: ``PermissionResult.ALLOW``, True or an allowing `Decision` runs the call, anything else
does not. May be ``async def``. A raised ToolRejected or ToolDeniedError denies with its text."""


def _why(tool: Tool) -> str:
    tags = tool.metadata.tags
    if ToolTag.DESTRUCTIVE in tags:
        return "destructive"
    if ToolTag.PRIVILEGED in tags:
        return "privileged"
    if ToolTag.READ_ONLY not in tags and ToolTag.FILE_SYSTEM in tags:
        return "writes"
    if ToolTag.NETWORK in tags:
        return "network"
    return "read-only" if ToolTag.READ_ONLY in tags else "not marked read-only"


def _spoken(tag: str) -> str:
    return tag.replace("_", "-")


def _written_out(mapping: Mapping[Any, Any]) -> dict[Any, Any]:
    short = [each.value for each in PermissionResult if each.value in mapping]
    if not short:
        return dict(mapping)
    if len(short) > 1 or "result" in mapping or "tool" in mapping:
        raise ConfigError("a rule says one of allow, ask or deny, followed by a tool name, and says it once")
    rest = {key: value for key, value in mapping.items() if key != short[0]}
    return {"result": short[0], "tool": mapping[short[0]], **rest}


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{key} must be a text, not {value!r}")
    return value


def _texts(key: str, value: object) -> frozenset[str]:
    if isinstance(value, str):
        return frozenset({_text(key, value)})
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise ConfigError(f"{key} must be a list of texts, not {value!r}")
    return frozenset(_text(key, each) for each in value)


def _patterns(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"arguments must map a parameter to a pattern, not {value!r}")
    return {_text("a parameter", key): _text(f"the pattern of {key}", each) for key, each in value.items()}

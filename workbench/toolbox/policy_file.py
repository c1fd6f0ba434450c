"""Permission policies in YAML files; an error names the file and the line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from workbench.errors import ConfigError
from workbench.registry import PermissionPolicy, PermissionResult, PermissionRule
from workbench.tightening import APPROVALS
from workbench.toolbox.yaml_doubles import second_key

_KEYS: Final = ("default", "default_reason", "rules")


def load_policy(path: str | Path) -> PermissionPolicy:
    """Read a policy: a ``default`` (ask if missing), and ``rules``, the first that fits decides.

    ::

        default: ask
        rules:
          - deny: shell.*
            arguments: {command: "rm *"}
            reason: never delete
          - allow: "*"
            tags: [read_only]

    Raises:
        ConfigError: when the file cannot be read or says something that a policy cannot say.
    """
    path = Path(path)
    root = _compose(path)
    if root is None:
        raise ConfigError(f"{path} is empty", hint="A policy has a default and rules.")
    double = second_key(root)
    if double is not None:
        raise _error(path, double, f"{double.value} stands here a second time")
    data = _construct(path, root)
    if not isinstance(root, yaml.MappingNode) or not isinstance(data, Mapping):
        raise _error(path, root, f"a policy is a mapping with {', '.join(_KEYS)}")
    nodes = {key.value: (key, value) for key, value in root.value if isinstance(key, yaml.ScalarNode)}
    for key, _ in root.value:
        if not isinstance(key, yaml.ScalarNode) or key.value not in _KEYS:
            said = key.value if isinstance(key, yaml.ScalarNode) else "such a key"
            raise _error(path, key, f"a policy has no {said}; it has {', '.join(_KEYS)}")
    rules = _rules(path, nodes["rules"][1]) if "rules" in nodes else ()
    return PermissionPolicy(rules, _default(path, data, nodes), str(data.get("default_reason") or ""))


def _rules(path: Path, node: yaml.Node) -> tuple[PermissionRule, ...]:
    if isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null"):
        return ()
    if not isinstance(node, yaml.SequenceNode):
        raise _error(path, node, "rules must be a list")
    rules = []
    for item in node.value:
        try:
            rules.append(
                PermissionRule.from_mapping(_construct(path, item), f"{path}:{item.start_mark.line + 1}")
            )
        except ConfigError as error:
            raise _error(path, _place_of(error.message, item), error.message, error.hint) from error
    return tuple(rules)


def _place_of(message: str, rule: yaml.Node) -> yaml.Node:
    """The key of the rule that the message is about, or the whole rule."""
    keys = {key.value: key for key in _keys(rule)}
    words = re.findall(r"[\w.*-]+", message.partition(";")[0])
    return next((keys[word] for word in words if word in keys), rule)


def _keys(rule: yaml.Node) -> Iterator[yaml.ScalarNode]:
    """The keys of a rule, and of the mappings in it."""
    inner = [value for _, value in rule.value] if isinstance(rule, yaml.MappingNode) else []
    for node in (rule, *inner):
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(key, yaml.ScalarNode):
                yield key


def _default(path: Path, data: Mapping[str, Any], nodes: Mapping[str, tuple[Any, Any]]) -> PermissionResult:
    if "default" not in nodes:
        return PermissionResult.ASK
    try:
        return PermissionResult(data["default"])
    except ValueError as error:
        said = f"default must be allow, ask or deny, not {data['default']!r}"
        raise _error(path, nodes["default"][1], said) from error


def _compose(path: Path) -> yaml.Node | None:
    try:
        return yaml.compose(path.read_text(encoding="utf-8"), yaml.SafeLoader)
    except OSError as error:
        hint = f"Policies that need no file: {', '.join(APPROVALS)}."
        raise ConfigError(f"cannot read the policy {path}: {error.strerror}", hint=hint) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text") from error
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f":{error.problem_mark.line + 1}"
        raise ConfigError(f"{path}{line}: {error.problem or error}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{path} is nested too deeply to be read") from error


def _construct(path: Path, node: yaml.Node) -> Any:
    loader = yaml.SafeLoader("")
    try:
        return loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        raise _error(path, node, error.problem or str(error)) from error
    except (ValueError, AttributeError, RecursionError) as error:  # such as a date that no calendar has
        raise _error(path, node, f"a value below cannot be read: {error}") from error
    finally:
        loader.dispose()


def _error(path: Path, node: yaml.Node, message: str, hint: str = "") -> ConfigError:
    return ConfigError(f"{path}:{node.start_mark.line + 1}: {message}", hint=hint)

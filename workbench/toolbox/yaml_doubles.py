"""Keys that stand twice in a YAML mapping: one would count, and nobody could see which."""

from __future__ import annotations

import yaml


def second_key(root: yaml.Node) -> yaml.ScalarNode | None:
    """A key that stands in its mapping a second time, anywhere below ``root``; None if there is none."""
    waiting, known = [root], {id(root)}
    while waiting:
        node = waiting.pop()
        inside = list(node.value) if isinstance(node, yaml.SequenceNode) else []
        if isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, value in node.value:
                if isinstance(key, yaml.ScalarNode) and key.value in seen:
                    return key
                if isinstance(key, yaml.ScalarNode):
                    seen.add(key.value)
                inside.append(value)
        waiting += [each for each in inside if id(each) not in known]  # an alias is the node itself
        known.update(map(id, inside))
    return None

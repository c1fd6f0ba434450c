"""Theme files: YAML in the project's ``themes/`` and in the user's own folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import yaml
from textual.theme import Theme

from workbench.errors import ConfigError
from workbench.tui import contrast
from workbench.tui.palette import TOKENS, Palette

_COLOR: Final = re.compile(r"#[0-9a-fA-F]{6}")
_MEND: Final = "Mend the file; the theme in use stays."


def load_theme(path: Path) -> Palette:
    """Read one theme file. Raises ConfigError that says which file, line and key, and what would be right."""
    try:
        text = path.read_text(encoding="utf-8")
        data = yaml.load(text, yaml.CSafeLoader)
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {error}", hint=_MEND) from error
    except (OSError, ValueError, AttributeError, RecursionError) as error:  # also a date that no calendar has
        raise ConfigError(f"{path}: cannot be read: {error}", hint=_MEND) from error
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: expected the keys name, dark and colors")
    name, about = data.get("name", path.stem), data.get("about", "")
    dark = data.get("dark", True)
    if not isinstance(name, str) or not isinstance(dark, bool) or not isinstance(about, str):
        raise ConfigError(f"{path}: name must be text, about too, dark must be true or false")
    return Palette(name, dark, _colors(path, text, data.get("colors")), about=about, path=path)


def _colors(path: Path, text: str, colors: Any) -> Mapping[str, str]:
    if not isinstance(colors, dict):
        raise ConfigError(f"{path}: colors: expected a mapping of {', '.join(TOKENS)}", hint=_MEND)
    missing = [token for token in TOKENS if token not in colors]
    if missing:
        raise ConfigError(f"{_at(path, text, 'colors')}: colors: missing {', '.join(missing)}", hint=_MEND)
    unknown = [str(key) for key in colors if key not in TOKENS]
    if unknown:
        raise ConfigError(
            f"{_at(path, text, unknown[0])}: colors: unknown {', '.join(unknown)}",
            hint=f"Known are {', '.join(TOKENS)}.",
        )
    for key, value in colors.items():
        if not isinstance(value, str) or not _COLOR.fullmatch(value):
            raise ConfigError(
                f'{_at(path, text, key)}: colors: {key}: expected "#rrggbb", got {value!r}', hint=_MEND
            )
    return colors


def _at(path: Path, text: str, key: str) -> str:
    """The file, and the line on which a key stands."""
    number = next(
        (
            number
            for number, line in enumerate(text.splitlines(), 1)
            if re.search(rf"(^|[\s{{,\"']){re.escape(key)}[\"']?\s*:", line)
        ),
        None,
    )
    return f"{path}, line {number}" if number is not None else str(path)


def complaint(palette: Palette) -> ConfigError | None:
    """What in a theme breaks a rule of the look, with file, line and token; None when nothing does.

    Such a theme can be used all the same.
    """
    found = list(contrast.faults(palette))
    if not found:
        return None
    where = palette.name if palette.path is None else _at(palette.path, _text(palette.path), found[0][0])
    rest = f" (and {len(found) - 1} more like it)" if len(found) > 1 else ""
    token, what = found[0]
    return ConfigError(
        f"{where}: colors: {token}: {what}{rest}", hint="It is used as it is; some of it is hard to read."
    )


def _text(path: Path) -> str:
    """What stands in the file; nothing when it went away meanwhile."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def load_themes(folders: Iterable[Path]) -> tuple[dict[str, Palette], list[ConfigError]]:
    """All themes of the folders, later folders winning, and an error for each file with a fault."""
    palettes: dict[str, Palette] = {}
    errors: list[ConfigError] = []
    for folder in folders:
        for path in sorted(folder.glob("*.yaml")) if folder.is_dir() else ():
            try:
                palette = load_theme(path)
            except ConfigError as error:
                errors.append(error)
            else:
                palettes[palette.name] = palette
                if (found := complaint(palette)) is not None:
                    errors.append(found)
    return palettes, errors


def find_theme(folders: Sequence[Path], name: str) -> Palette | None:
    """The theme of that name, as among ``load_themes``; a file that is called so is looked at first."""
    for folder in reversed(folders):
        for path in sorted(folder.glob("*.yaml"), key=lambda path: path.stem != name):
            with suppress(ConfigError):  # said when all are loaded
                palette = load_theme(path)
                if palette.name == name:
                    return palette
    return None


def textual_theme(palette: Palette) -> Theme:
    """The Textual theme for a palette; each token is also a CSS variable (``$on-accent``)."""
    colors = palette.colors
    return Theme(
        name=palette.name,
        dark=palette.dark,
        primary=colors["accent"],
        secondary=colors["subtle"],
        accent=colors["accent"],
        foreground=colors["text"],
        background=colors["background"],
        surface=colors["surface"],
        panel=colors["raised"],
        success=colors["success"],
        warning=colors["warning"],
        error=colors["error"],
        variables=css_variables(palette),
    )


def css_variables(palette: Palette) -> dict[str, str]:
    """The tokens as CSS variables, and Textual's own where its defaults would break the look."""
    colors = palette.colors
    variables = {key.replace("_", "-"): colors[key] for key in TOKENS if key != "text"}
    variables |= {
        "scrollbar": colors["rule"],
        "scrollbar-hover": colors["muted"],
        "scrollbar-active": colors["accent"],
        "scrollbar-background": colors["background"],
        "scrollbar-background-hover": colors["background"],
        "scrollbar-background-active": colors["background"],
        "scrollbar-corner-color": colors["background"],
        "input-selection-background": colors["selected"],
        "screen-selection-background": colors["selected"],
        "block-cursor-background": colors["accent"],
        "block-cursor-foreground": colors["on_accent"],
    }
    return variables

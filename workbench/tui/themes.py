"""Theme files: YAML in the project's ``themes/`` and in the user's own folder."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import yaml
from textual.theme import Theme

from workbench.errors import ConfigError
from workbench.tui.palette import TOKENS, Palette

_GREYS: Final = ("background", "surface", "raised", "hovered", "selected", "rule", "subtle", "muted")
_GREY_SATURATION: Final = 0.15
"""From here on Rich takes a colour for one, not for a grey, when it has 256 to choose from."""
_COLOR: Final = re.compile(r"#[0-9a-fA-F]{6}")


def load_theme(path: Path) -> Palette:
    """Read one theme file. Raises ConfigError that says which file, which key, and what would be right."""
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ConfigError(
            f"{path}: not valid YAML: {error}", hint="Mend the file; the theme in use stays."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: expected the keys name, dark and colors")
    name = data.get("name", path.stem)
    dark = data.get("dark", True)
    if not isinstance(name, str) or not isinstance(dark, bool):
        raise ConfigError(f"{path}: name must be text, dark must be true or false")
    return Palette(name, dark, _colors(path, data.get("colors")))


def _colors(path: Path, colors: Any) -> Mapping[str, str]:
    if not isinstance(colors, dict):
        raise ConfigError(f"{path}: colors: expected a mapping of {', '.join(TOKENS)}")
    missing = [token for token in TOKENS if token not in colors]
    if missing:
        raise ConfigError(f"{path}: colors: missing {', '.join(missing)}")
    unknown = [str(key) for key in colors if key not in TOKENS]
    if unknown:
        raise ConfigError(
            f"{path}: colors: unknown {', '.join(unknown)}", hint=f"Known are {', '.join(TOKENS)}."
        )
    for key, value in colors.items():
        if not isinstance(value, str) or not _COLOR.fullmatch(value):
            raise ConfigError(f'{path}: colors: {key}: expected "#rrggbb", got {value!r}')
    return colors


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
                if too_colourful := coloured_greys(palette):
                    errors.append(
                        ConfigError(
                            f"{path}: colors: {', '.join(too_colourful)}: too colourful for 256 colours",
                            hint="Keep the saturation below 0.15, or such a terminal shows another colour.",
                        )
                    )
    return palettes, errors


def coloured_greys(palette: Palette) -> list[str]:
    """Tokens that a terminal of 256 colours would not show as the greys that they are meant to be."""
    tokens = (*_GREYS, "add", "cut") if palette.dark else _GREYS
    return [token for token in tokens if _saturation(palette.colors[token]) >= _GREY_SATURATION]


def _saturation(color: str) -> float:
    return colorsys.rgb_to_hls(*(int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)))[2]


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

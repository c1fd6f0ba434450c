"""Themes: every shipped one is complete and readable; a broken one says where."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.color import Color, ColorSystem
from rich.color_triplet import ColorTriplet

from workbench.errors import ConfigError
from workbench.resources import resource_folder
from workbench.tui.palette import TOKENS, Palette
from workbench.tui.themes import load_theme, load_themes

THEMES = sorted(resource_folder("themes").glob("*.yaml"))
BACKGROUNDS = ("background", "surface", "raised", "hovered", "selected")
TEXTS = ("text", "subtle", "muted", "accent", "success", "warning", "error")


@pytest.fixture(params=THEMES, ids=lambda path: path.stem)
def palette(request: pytest.FixtureRequest) -> Palette:
    return load_theme(request.param)


def luminance(triplet: ColorTriplet) -> float:
    """WCAG 2 relative luminance."""
    parts = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in triplet.normalized
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(
    palette: Palette, text: str, background: str, system: ColorSystem = ColorSystem.TRUECOLOR
) -> float:
    style = palette.style(text, background)
    assert style.color is not None
    assert style.bgcolor is not None
    light, dark = sorted(
        (luminance(color.downgrade(system).get_truecolor()) for color in (style.color, style.bgcolor)),
        reverse=True,
    )
    return (light + 0.05) / (dark + 0.05)


def test_every_text_is_readable_on_every_background(palette: Palette) -> None:
    faint = {
        (text, background): round(contrast(palette, text, background), 2)
        for text in TEXTS
        for background in BACKGROUNDS
        if contrast(palette, text, background) < 4.5
    }
    assert not faint


def test_plain_text_is_readable_on_every_background_in_256_colours(palette: Palette) -> None:
    for background in BACKGROUNDS:
        for text in ("text", "subtle", "accent"):
            assert contrast(palette, text, background, ColorSystem.EIGHT_BIT) >= 4.5, (text, background)


def test_backgrounds_keep_their_steps_in_256_colours(palette: Palette) -> None:
    steps = {
        Color.parse(palette.colors[name]).downgrade(ColorSystem.EIGHT_BIT).number for name in BACKGROUNDS
    }
    assert len(steps) >= 4


def test_text_is_readable_on_every_tint(palette: Palette) -> None:
    tints = ("add", "add_word", "cut", "cut_word", "fault")
    assert all(contrast(palette, "text", tint) >= 4.5 for tint in tints)
    assert contrast(palette, "on_accent", "accent") >= 4.5


def test_the_file_is_named_like_the_theme(palette: Palette) -> None:
    assert palette.name in {path.stem for path in THEMES}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("name: x\ncolors: {background: [", "not valid YAML"),
        ("- a", "expected the keys"),
        ("name: x\ncolors: {background: '#000000'}", "missing surface"),
        ("name: 3\ncolors: {}", "name must be text"),
    ],
)
def test_a_broken_theme_says_what_is_wrong(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=complaint) as caught:
        load_theme(path)
    assert str(path) in str(caught.value)


def test_a_wrong_colour_is_named(tmp_path: Path) -> None:
    lines = "".join(f"  {token}: '#000000'\n" for token in TOKENS if token != "accent")
    path = tmp_path / "broken.yaml"
    path.write_text(f"name: broken\ncolors:\n{lines}  accent: blue\n")
    with pytest.raises(ConfigError, match="accent: expected"):
        load_theme(path)


def test_a_broken_file_leaves_the_other_themes(tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("- a")
    palettes, errors = load_themes([resource_folder("themes"), tmp_path])
    assert {"graphite", "paper"} <= set(palettes)
    assert len(errors) == 1


def test_a_theme_whose_greys_are_colours_is_used_and_told_so(tmp_path: Path) -> None:
    text = (resource_folder("themes") / "graphite.yaml").read_text()
    (tmp_path / "loud.yaml").write_text(
        text.replace("name: graphite", "name: loud").replace("#1a1d21", "#001d41")
    )
    palettes, errors = load_themes([tmp_path])
    assert "loud" in palettes
    assert [str(error) for error in errors] == [
        f"{tmp_path / 'loud.yaml'}, line 7: colors: surface: too colourful for 256 colours: "
        "keep its saturation below 0.15"
    ]


def test_shipped_themes_have_no_fault() -> None:
    assert load_themes([resource_folder("themes")])[1] == []

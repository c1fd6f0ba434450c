"""Themes: every shipped one is complete and readable; a broken one says where."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest
from rich.color import Color, ColorSystem
from rich.color_triplet import ColorTriplet

from workbench.errors import ConfigError
from workbench.resources import resource_folder
from workbench.tui import themes
from workbench.tui.palette import TOKENS, Palette
from workbench.tui.themes import find_theme, load_theme, load_themes

THEMES = sorted(resource_folder("themes").glob("*.yaml"))
BACKGROUNDS = ("background", "surface", "raised", "hovered", "selected")
LEAST_OF_256 = 4.0
"""In 256 colours a cursor row may cost a little: the nearest grey is not always near."""
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
        ("name: 2020-13-45", "cannot be read: month must be in"),
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
        (
            f"{tmp_path / 'loud.yaml'}, line 7: colors: surface: too colourful for 256 colours: "
            "keep its saturation below 0.15"
        )
    ]


def test_shipped_themes_have_no_fault() -> None:
    assert load_themes([resource_folder("themes")])[1] == []


def test_every_text_is_readable_in_256_colours(palette: Palette) -> None:
    faint = {
        (text, background): round(found, 2)
        for text in TEXTS
        for background in BACKGROUNDS
        if (found := contrast(palette, text, background, ColorSystem.EIGHT_BIT)) < LEAST_OF_256
    }
    assert not faint


def test_signs_and_numbers_are_readable_on_the_lines_of_a_diff(palette: Palette) -> None:
    for text, tint in (("success", "add"), ("error", "cut"), ("muted", "add"), ("muted", "cut")):
        assert contrast(palette, text, tint) >= 4.5, (text, tint)


@pytest.mark.parametrize("name", ["contrast", "contrast-light"])
def test_high_contrast_is_more_than_twice_as_much_as_needed_on_the_page(name: str) -> None:
    palette = load_theme(resource_folder("themes") / f"{name}.yaml")
    for text in TEXTS:
        assert contrast(palette, text, "background") >= 9.5, text
        assert all(contrast(palette, text, background) >= 7 for background in BACKGROUNDS), text


def linear(color: str) -> tuple[float, float, float]:
    """The parts of a colour as light."""
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in Color.parse(color).get_truecolor().normalized
    )
    return red, green, blue


KINDS_OF_SIGHT = {
    "usual": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "deuteranopia": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
}
"""What becomes of red, green and blue light (Machado and others, 2009)."""


def seen(color: str, sight: str) -> tuple[float, float, float]:
    """The colour in OKLab, as that kind of sight has it."""
    light = linear(color)
    red, green, blue = (
        min(1.0, max(0.0, sum(weight * part for weight, part in zip(row, light, strict=True))))
        for row in KINDS_OF_SIGHT[sight]
    )
    cones = (
        (0.4122 * red + 0.5363 * green + 0.0514 * blue) ** (1 / 3),
        (0.2119 * red + 0.6807 * green + 0.1074 * blue) ** (1 / 3),
        (0.0883 * red + 0.2817 * green + 0.6300 * blue) ** (1 / 3),
    )
    long, middle, short = cones
    return (
        0.2105 * long + 0.7936 * middle - 0.0041 * short,
        1.9780 * long - 2.4286 * middle + 0.4506 * short,
        0.0259 * long + 0.7828 * middle - 0.8087 * short,
    )


def apart(palette: Palette, one: str, other: str, sight: str = "usual") -> float:
    """How different two tokens look: 0.02 can just be told, 1 is black and white."""
    return math.dist(seen(palette.colors[one], sight), seen(palette.colors[other], sight))


def test_the_four_signals_can_be_told_apart(palette: Palette) -> None:
    signals = ("accent", "success", "warning", "error")
    for one, other in itertools.combinations(signals, 2):
        assert apart(palette, one, other) >= 0.08, (one, other)


@pytest.mark.parametrize("sight", ["protanopia", "deuteranopia"])
@pytest.mark.parametrize("name", ["signal", "signal-light"])
def test_the_signals_can_be_told_apart_without_telling_red_from_green(name: str, sight: str) -> None:
    palette = load_theme(resource_folder("themes") / f"{name}.yaml")
    for one, other in itertools.combinations(("success", "warning", "error"), 2):
        assert apart(palette, one, other, sight) >= 0.1, (one, other)
    assert apart(palette, "accent", "error", sight) >= 0.1
    assert apart(palette, "accent", "warning", sight) >= 0.1
    assert apart(palette, "add_word", "cut_word", sight) >= 0.08


def test_there_are_dark_and_light_ones_enough() -> None:
    palettes = [load_theme(path) for path in THEMES]
    assert len(palettes) >= 8
    assert all(palette.about for palette in palettes)
    assert sum(palette.dark for palette in palettes) >= 4
    assert sum(not palette.dark for palette in palettes) >= 4


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (
            'muted: "#959ca7"',
            'muted: "#555555"',
            "line 14: colors: muted: muted on hovered has a contrast of",
        ),
        (
            'add_word: "#1f4a2d"',
            'add_word: "#c0ffc0"',
            "colors: add_word: text on add_word has a contrast of",
        ),
        ('on_accent: "#121417"', 'on_accent: "#ffffff"', "colors: on_accent: on_accent on accent has"),
        ('rule: "#3a3e45"', 'rule: "#203a60"', "colors: rule: too colourful for 256 colours"),
    ],
)
def test_a_theme_that_breaks_a_rule_says_which(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    text = (resource_folder("themes") / "graphite.yaml").read_text()
    assert old in text
    (tmp_path / "mine.yaml").write_text(text.replace(old, new))
    palettes, (error,) = load_themes([tmp_path])
    assert "graphite" in palettes
    assert f"{tmp_path / 'mine.yaml'}, line" in str(error)
    assert complaint in str(error)


def test_a_wrong_key_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text((resource_folder("themes") / "graphite.yaml").read_text() + '  acent: "#000000"\n')
    with pytest.raises(ConfigError, match=r"mine.yaml, line 25: colors: unknown acent"):
        load_theme(path)


def test_a_theme_is_found_by_its_name_where_no_file_is_called_so(tmp_path: Path) -> None:
    shipped = resource_folder("themes")
    text = (shipped / "graphite.yaml").read_text()
    (tmp_path / "mine.yaml").write_text(text.replace("name: graphite", "name: dusk"))
    found = find_theme([shipped, tmp_path], "dusk")
    assert found is not None
    assert found.path == tmp_path / "mine.yaml"
    assert find_theme([shipped, tmp_path], "nowhere") is None


def test_a_theme_of_ones_own_goes_before_the_shipped_one_unless_it_cannot_be_read(tmp_path: Path) -> None:
    shipped = resource_folder("themes")
    own = tmp_path / "graphite.yaml"
    own.write_text((shipped / "graphite.yaml").read_text())
    found = find_theme([shipped, tmp_path], "graphite")
    assert found is not None
    assert found.path == own
    own.write_text("name: graphite\ncolors: none\n")
    found = find_theme([shipped, tmp_path], "graphite")
    assert found is not None
    assert found.path == shipped / "graphite.yaml"


def test_finding_a_theme_reads_no_other_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    load = themes.load_theme

    def noted(path: Path) -> Palette:
        read.append(path.name)
        return load(path)

    monkeypatch.setattr(themes, "load_theme", noted)
    assert themes.find_theme([resource_folder("themes"), tmp_path], "paper") is not None
    assert read == ["paper.yaml"]

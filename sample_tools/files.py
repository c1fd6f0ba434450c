"""Files below the current folder: read, list, search, write, delete. Nothing outside of it is touched."""

from pathlib import Path
from typing import Annotated

from workbench import ToolTag, tool

READS = {ToolTag.READ_ONLY, ToolTag.FILE_SYSTEM}
WRITES = {ToolTag.FILE_SYSTEM}


def _inside(path: str) -> Path:
    """The place that ``path`` means; an error that the model can act on if it leads out of the folder."""
    root = Path.cwd().resolve()
    place = (root / path).resolve()
    if not place.is_relative_to(root):
        raise PermissionError(f"{path} is outside of {root}; give a path inside, such as notes/today.txt")
    return place


def _file(path: str) -> Path:
    place = _inside(path)
    if place.is_dir():
        raise IsADirectoryError(f"{path} is a folder; list_files({path!r}) shows what is in it")
    if not place.exists():
        names = ", ".join(sorted(each.name for each in place.parent.glob("*"))[:10]) or "nothing"
        raise FileNotFoundError(f"there is no {path}; its folder has: {names}")
    return place


def _text_or_empty(path: str) -> str:
    place = _inside(path)
    return place.read_text(encoding="utf-8", errors="replace") if place.is_file() else ""


def preview_write(path: str, text: str) -> tuple[str, str, str]:
    """What write_file would change: the path, the text now, the text then."""
    return path, _text_or_empty(path), text


def preview_delete(path: str) -> tuple[str, str, str]:
    """What delete_file would change: all of the text goes."""
    return path, _text_or_empty(path), ""


@tool(tags=READS)
def read_file(path: str) -> str:
    """Read a text file.

    Args:
        path: File, relative to the current folder.
    """
    return _file(path).read_text(encoding="utf-8")


@tool(tags=READS)
def list_files(folder: str = ".", pattern: str = "*") -> list[str]:
    """List the files and folders in a folder; folders end with a slash.

    Args:
        folder: Folder, relative to the current one.
        pattern: What names must look like, for instance *.py; **/*.py looks in folders below too.
    """
    place = _inside(folder)
    if not place.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")
    if ".." in Path(pattern).parts or Path(pattern).is_absolute():
        raise PermissionError(f"{pattern} is outside of {folder}; give a pattern such as *.txt")
    found = (each for each in place.glob(pattern) if each.resolve().is_relative_to(place))
    return sorted(f"{each.relative_to(place)}{'/' if each.is_dir() else ''}" for each in found)


@tool(tags=READS, max_result=20_000)
def search_files(
    text: Annotated[str, "What to look for, taken literally"],
    folder: Annotated[str, "Where to look, folders below included"] = ".",
) -> list[str]:
    """Find the lines that contain a text; each answer is path:line: text."""
    place = _inside(folder)
    hits = []
    for path in sorted(each for each in place.rglob("*") if each.is_file() and not each.is_symlink()):
        if any(part.startswith(".") for part in path.relative_to(place).parts):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if text in line:
                hits.append(f"{path.relative_to(place)}:{number}: {line.strip()[:200]}")
    return hits


@tool(tags=WRITES, preview=preview_write)
def write_file(path: str, text: str) -> str:
    """Write a text file; one that exists is replaced.

    Args:
        path: File, relative to the current folder; missing folders are made.
        text: The whole new content.
    """
    place = _inside(path)
    if place.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a file in it")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    return f"wrote {len(text)} character{'s' * (len(text) != 1)} to {path}"


@tool(tags={ToolTag.DESTRUCTIVE, ToolTag.FILE_SYSTEM}, preview=preview_delete)
def delete_file(path: str) -> str:
    """Delete a file for good.

    Args:
        path: File, relative to the current folder.
    """
    _file(path).unlink()
    return f"deleted {path}"


__all__ = ["delete_file", "list_files", "read_file", "search_files", "write_file"]

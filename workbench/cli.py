"""The ``workbench`` command: the app, or one turn without a screen."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import click

from workbench.errors import ConfigError, WorkbenchError
from workbench.tightening import APPROVALS
from workbench.toolbox.target_place import split_target
from workbench.visible import visible, visible_line

EXIT_CODES: Final = {"success": 0, "error": 1, "incomplete": 3, "stopped": 4}
"""2 is a wrong command line; 130 an interrupt."""


class _DefaultGroup(click.Group):
    """Takes ``workbench TARGET`` for ``workbench open TARGET``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = args[0] if args else ""
        if first not in self.commands and first not in ("--help", "-h", "--version"):
            args = ["open", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_DefaultGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="agent-workbench", prog_name="workbench")
def main() -> None:
    """Talk to an agent, watch every call, approve what it does.

    \b
    workbench [TARGET]       open the app (the same as: workbench open [TARGET])
    workbench run PROMPT     one turn without a screen
    workbench sessions       what was said and done here before
    workbench export NAME    a session as Markdown, JSON lines or OpenTelemetry
    workbench trust          let the settings of this folder take effect

    TARGET is a folder or file of tools, or FILE.py[:NAME] or MODULE:NAME holding an Agent.
    Without one, the sample tools are loaded.

    The app takes --model, --tools, --trust, --resume, --mcp, --theme and --ascii: workbench open --help.
    """
    _open_closed_streams()


def _shared(command: Any) -> Any:
    for option in (
        click.option("--model", help="Any model that litellm knows, or offline (needs no key)."),
        click.option(
            "--tools", multiple=True, metavar="PATH", help="More tools: a folder or file; repeatable."
        ),
        click.option("--resume", metavar="NAME", help="Go on with a session: last, or a part of its name."),
        click.option(
            "--trust", metavar="WORD|FILE", help="careful (default), strict, open, or a policy file."
        ),
    ):
        command = option(command)
    return command


@main.command("open")
@click.argument("target", required=False)
@_shared
@click.option("--theme", help="A theme's name, for example graphite or paper.")
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw signs and lines with ASCII.")
@click.option("--mcp", multiple=True, metavar="FILE", help="Tools of the MCP servers in an mcpServers file.")
def open_app(
    target: str | None,
    model: str | None,
    tools: tuple[str, ...],
    trust: str | None,
    resume: str | None,
    theme: str | None,
    ascii_only: bool,
    mcp: tuple[str, ...],
) -> None:
    """Open the app on TARGET."""
    with _told_plainly():
        _refuse_slips(target, trust)
        from workbench.launch import run_app

        code, lines = run_app(
            target,
            model=model,
            tools=tools,
            trust=trust,
            resume=resume,
            theme=theme,
            ascii_only=ascii_only,
            mcp=mcp,
        )
    with suppress(OSError):  # the terminal may be gone
        for line in lines:
            click.echo(line)
    sys.exit(code)


@main.command()
@click.argument("prompt")
@click.argument("target", required=False)
@_shared
@click.option(
    "--approve",
    type=click.Choice(["ask", "all", "none"]),
    help="What happens to calls that ask. Default: ask in a terminal, else none.",
)
@click.option("--mcp", multiple=True, metavar="FILE", help="Tools of the MCP servers in an mcpServers file.")
@click.option("--max-iterations", type=click.IntRange(min=1), help="Model calls at most.")
@click.option("--image", "images", multiple=True, metavar="FILE", help="A picture to send too; repeatable.")
@click.option("--quiet", is_flag=True, help="Nothing on stderr but errors.")
def run(
    prompt: str,
    target: str | None,
    model: str | None,
    tools: tuple[str, ...],
    trust: str | None,
    resume: str | None,
    approve: str | None,
    max_iterations: int | None,
    images: tuple[str, ...],
    mcp: tuple[str, ...],
    quiet: bool,
) -> None:
    """Run one turn without a screen: the answer on stdout, everything else on stderr.

    PROMPT is the message; - reads it from stdin. Exit code: 0 answered, 1 failed, 2 wrong command line,
    3 stopped at the iteration limit, 4 stopped by a hook, 130 interrupted.
    """
    from workbench.launch import run_once

    text = sys.stdin.read() if prompt == "-" else prompt
    mode = approve or ("ask" if sys.stdin.isatty() and prompt != "-" else "none")
    with _told_plainly():
        if not text.strip():
            raise ConfigError(
                "the prompt is empty", hint='Such as: workbench run "add(a=2, b=3)"; - reads it from stdin.'
            )
        _refuse_slips(target, trust)
        answer, status = run_once(
            text,
            target,
            model=model,
            tools=tools,
            trust=trust,
            resume=resume,
            approve=mode,
            max_iterations=max_iterations,
            images=images,
            mcp=mcp,
            quiet=quiet,
        )
    with _told_plainly():
        if answer:
            _write_out(answer + "\n")
    sys.exit(EXIT_CODES[status])


@main.command()
@click.option("--search", "text", metavar="TEXT", help="Only where TEXT was said or done.")
def sessions(text: str | None) -> None:
    """List the sessions of this folder, the newest first.

    Exit code: 1 where nothing holds TEXT.
    """
    from workbench.storage.session_index import list_sessions, search_sessions

    with _told_plainly():
        if text is not None:
            place = None
            for place in search_sessions(Path.cwd(), text):
                _write_out(f"{place.head.path.stem}  turn {place.turn}  {visible_line(place.excerpt)}\n")
            if place is None:
                click.echo(f"workbench: nothing found for {visible_line(text)}", err=True)
                sys.exit(1)
            return
        heads = list_sessions(Path.cwd())
        if not heads:
            _write_out("No session was kept here yet.\n")
        for head in heads:
            said = head.problem or head.first or "(no turn yet)"
            turns = f"{head.turns} turn{'s' * (head.turns != 1)}"
            state = "  (in use)" if head.running else "  (interrupted)" if head.interrupted else ""
            _write_out(f"{visible_line(head.path.stem)}  {turns}  {visible_line(said)[:80]}{state}\n")


@main.command()
@click.argument("session")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["markdown", "jsonl", "otel"]),
    default="markdown",
    show_default=True,
)
@click.option("--output", "-o", type=click.Path(dir_okay=False), help="A new file; default stdout.")
@click.option("--to", metavar="URL", help="With otel: send the spans to a collector, http://localhost:4318.")
@click.option("--content", is_flag=True, help="With otel: arguments and results too.")
def export(session: str, kind: str, output: str | None, to: str | None, content: bool) -> None:
    """Write SESSION (last, a part of its name, or a file) for other people and programs."""
    from workbench.storage import export as exports
    from workbench.storage.session_file import read_session
    from workbench.storage.session_index import find_session

    with _told_plainly():
        if to is not None and kind != "otel":
            raise ConfigError("--to needs --format otel")
        record = read_session(find_session(Path.cwd(), session))
        if to is not None:
            from workbench.storage.otel_export import send_spans

            count = send_spans(record, to, content=content)
            click.echo(f"{count} span{'s were' if count != 1 else ' was'} sent to {to}")
            return
        if output is None:
            out = io.StringIO()
            exports.export(record, kind, out, content=content)
            _write_out(out.getvalue())
            return
        exports.export_to(record, kind, Path(output), content=content)


@main.command()
@click.argument("folder", required=False, type=click.Path(file_okay=False))
@click.option("--list", "listing", is_flag=True, help="List what has your yes; without FOLDER, everywhere.")
@click.option("--revoke", is_flag=True, help="Take your yes to everything in FOLDER back.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def trust(folder: str | None, listing: bool, revoke: bool, yes: bool) -> None:
    """Let the settings of FOLDER (default: this one) take effect, after showing what they are.

    A project's own files can make things stricter, but only with your yes can they open tools, choose
    the model or its address, or set variables. It holds until one of the files changes, or until you
    take it back.
    """
    from workbench.project_review import ProjectReview, trusted_text

    with _told_plainly():
        if listing:
            click.echo(trusted_text(Path(folder) if folder else None) or "Nothing has your yes.")
            return
        place = Path(folder or ".")
        if revoke:
            _revoke(place, yes=yes)
            return
        if not place.is_dir():
            raise ConfigError(f"there is no folder {place}")
        review = ProjectReview(place)
        if not review.waiting:
            click.echo("Nothing in this folder waits for your yes.")
            return
        click.echo(review.text)
        if not yes and not click.confirm("Let all of this take effect?"):
            click.echo("Nothing was changed.")
            sys.exit(1)
        review.say_yes()
        click.echo("Done. You will be asked anew when a file changes.")


def _revoke(folder: Path, *, yes: bool) -> None:
    from workbench.config import user_folder
    from workbench.project_review import trusted_text
    from workbench.project_trust import ProjectTrust

    text = trusted_text(folder)
    if not text:
        click.echo("Nothing in this folder has your yes.")
        return
    click.echo(text)
    if not yes and not click.confirm("Take your yes to all of this back?"):
        click.echo("Nothing was changed.")
        sys.exit(1)
    ProjectTrust(folder, user_folder()).take_back()
    click.echo("Done. It takes effect at the next start, and you will be asked anew.")


def _open_closed_streams() -> None:
    """Where this was started with a standard stream closed, nobody listens there; nothing fails for that."""
    for fd, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != fd:
                os.dup2(null, fd)
                os.close(null)
            stream = open(fd, mode, encoding="utf-8", closefd=False)  # noqa: SIM115  # until the end
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def _write_out(text: str) -> None:
    """Write to stdout, at once. Raises WorkbenchError where that takes nothing."""
    out = sys.stdout
    try:
        if isinstance(out, io.TextIOWrapper):
            out.reconfigure(errors="backslashreplace")
        # on a terminal, text of models and tools must not act; into a file or a pipe it goes as it is
        out.write(visible(text) if out.isatty() else text)
        out.flush()
    except BrokenPipeError:  # who read it has enough, and click ends the program
        raise
    except (OSError, ValueError) as error:  # ValueError: a tool has closed it
        with suppress(OSError):  # what it still holds would fail again at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        reason = error.strerror if isinstance(error, OSError) else "it was closed"
        raise WorkbenchError(f"cannot write to stdout: {reason}") from error


def _refuse_slips(target: str | None, trust: str | None) -> None:
    """Raise ConfigError for a target or policy that cannot be: cheaper than a screen that opens to say so."""
    if target is not None:
        place, _ = split_target(target)
        if not place.exists() and not _may_be_module(place):
            beside = place.parent if place.parent.is_dir() else Path()
            neighbours = [str(beside / each.name) for each in beside.iterdir()]
            known = [*neighbours, *(main.commands if len(place.parts) == 1 else ())]
            raise ConfigError(f"there is no {target}", hint=_near(str(place), known))
    if trust is not None and trust not in APPROVALS and not Path(trust).exists():
        hint = f"Its own policies are {', '.join(APPROVALS)}; a file holds one of yours."
        raise ConfigError(f"there is no policy {trust}", hint=_near(trust, APPROVALS) or hint)


def _may_be_module(place: Path) -> bool:
    """Whether the import system has something of this name; nothing is imported."""
    name = str(place)
    if place.suffix == ".py" or not all(part.isidentifier() for part in name.split(".")):
        return False
    first = name.partition(".")[0]
    return Path(first).is_dir() or Path(f"{first}.py").is_file() or find_spec(first) is not None


def _near(name: str, known: Iterable[str]) -> str:
    from workbench.registry.names import near_names  # with the registry, which a start does without

    near = near_names(name, known)
    return f"Did you mean {' or '.join(near)}?" if near else ""


@contextmanager
def _told_plainly() -> Iterator[None]:
    """Errors that a person can act on are said in words; wrong arguments end with 2, the rest with 1."""
    try:
        yield
    except WorkbenchError as error:
        click.echo(f"workbench: {visible(str(error))}", err=True)
        if error.hint:
            click.echo(visible(error.hint), err=True)
        sys.exit(2 if isinstance(error, ConfigError) else 1)
    except EOFError:
        click.echo("workbench: the input ended before an answer", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()

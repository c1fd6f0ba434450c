"""The ``workbench`` command: the app, or one turn without a screen."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import click

from workbench.console.default_group import DefaultGroup
from workbench.console.standard import open_closed_streams, write_out
from workbench.errors import ConfigError, WorkbenchError
from workbench.tightening import APPROVALS
from workbench.toolbox.target_place import may_be_module, neighbours, split_target
from workbench.visible import visible, visible_line

EXIT_CODES: Final = {"success": 0, "error": 1, "incomplete": 3, "stopped": 4}
"""2 is a wrong command line; 130 an interrupt."""

_TARGETS: Final = (
    "TARGET is a folder or file of tools, or FILE.py:NAME or MODULE:NAME of an agent.\n"
    'A prompt stands in quotes: workbench run "add(a=2, b=3)"'
)


class _Commands(DefaultGroup):
    """Tells in one way whatever goes wrong."""

    def invoke(self, ctx: click.Context) -> Any:
        with _told_plainly():
            return super().invoke(ctx)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    subcommand_metavar="[TARGET | COMMAND] [ARGS]...",
)
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
    open_closed_streams()
    try:
        Path.cwd()
    except OSError as error:
        raise WorkbenchError("this folder is not there any more", hint="Go to one that is.") from error


def _shared(command: Any) -> Any:
    for option in (
        click.option("--model", help="Any model that litellm knows, or offline (needs no key)."),
        click.option(
            "--tools",
            multiple=True,
            type=click.Path(),
            metavar="PATH",
            help="More tools: a folder or file; repeatable.",
        ),
        click.option("--resume", metavar="NAME", help="Go on with a session: last, or a part of its name."),
        click.option(
            "--trust",
            type=click.Path(),
            metavar="WORD|FILE",
            help="careful (default), strict, open, or a policy file.",
        ),
    ):
        command = option(command)
    return command


_mcp: Final = click.option(
    "--mcp",
    multiple=True,
    type=click.Path(),
    metavar="FILE",
    help="Tools of the MCP servers in an mcpServers file.",
)


@main.command("open")
@click.argument("target", required=False, type=click.Path())
@_shared
@click.option("--theme", help="A theme's name, for example graphite or paper.")
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw signs and lines with ASCII.")
@_mcp
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
    _refuse_slips(target, trust, tools, mcp)
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
@click.argument("target", required=False, type=click.Path())
@_shared
@click.option(
    "--approve",
    type=click.Choice(["ask", "all", "none"]),
    help="What happens to calls that ask. Default: ask in a terminal, else none.",
)
@_mcp
@click.option("--max-iterations", type=click.IntRange(min=1), help="Model calls at most.")
@click.option(
    "--image",
    "images",
    multiple=True,
    type=click.Path(),
    metavar="FILE",
    help="A picture to send too; repeatable.",
)
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

    PROMPT is the message; - reads it from stdin. Exit code: 0 answered, 1 failed, 2 wrong command line or
    setting, 3 stopped at the iteration limit, 4 stopped by a hook or ceiling, 130 interrupted.
    """
    from workbench.launch import run_once

    text = sys.stdin.read() if prompt == "-" else prompt
    mode = approve or ("ask" if sys.stdin.isatty() and prompt != "-" else "none")
    if not text.strip():
        raise ConfigError(
            "the prompt is empty", hint='Such as: workbench run "add(a=2, b=3)"; - reads it from stdin.'
        )
    _refuse_slips(target, trust, tools, mcp)
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
    if answer:
        write_out(answer + "\n")
    sys.exit(EXIT_CODES[status])


@main.command()
@click.option("--search", "text", metavar="TEXT", help="Only where TEXT was said or done.")
def sessions(text: str | None) -> None:
    """List the sessions of this folder, the newest first.

    Exit code: 1 where nothing holds TEXT.
    """
    from workbench.storage.session_index import list_sessions, search_sessions

    if text is not None:
        place = None
        for place in search_sessions(Path.cwd(), text):
            write_out(f"{place.head.path.stem}  turn {place.turn}  {visible_line(place.excerpt)}\n")
        if place is None:
            click.echo(f"workbench: nothing found for {visible_line(text)}", err=True)
            sys.exit(1)
        return
    heads = list_sessions(Path.cwd())
    if not heads:
        write_out("No session was kept here yet.\n")
    for head in heads:
        said = head.problem or head.first or "(no turn yet)"
        turns = f"{head.turns} turn{'s' * (head.turns != 1)}"
        state = "  (in use)" if head.running else "  (interrupted)" if head.interrupted else ""
        write_out(f"{visible_line(head.path.stem)}  {turns}  {visible_line(said)[:80]}{state}\n")


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
    from workbench.launch import named_session
    from workbench.storage import export as exports
    from workbench.storage.session_file import read_session

    if to is not None and kind != "otel":
        raise ConfigError("--to needs --format otel")
    if to is not None and not to.startswith(("http://", "https://")):
        raise ConfigError(f"{to} is no address", hint="Such as http://localhost:4318.")
    record = read_session(named_session(session))
    if to is not None:
        from workbench.storage.otel_export import send_spans

        count = send_spans(record, to, content=content)
        write_out(f"{count} span{'s were' if count != 1 else ' was'} sent to {to}\n")
        return
    if output is None:
        out = io.StringIO()
        exports.export(record, kind, out, content=content)
        write_out(out.getvalue())
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

    if listing:
        text = trusted_text(Path(folder) if folder else None) or "Nothing has your yes."
        write_out(f"{text}\n")
        return
    place = Path(folder or ".")
    if revoke:
        _revoke(place, yes=yes)
        return
    if not place.is_dir():
        raise ConfigError(f"there is no folder {place}")
    review = ProjectReview(place)
    if not review.waiting:
        write_out("Nothing in this folder waits for your yes.\n")
        return
    write_out(f"{review.text}\n")
    if not yes and not click.confirm("Let all of this take effect?"):
        write_out("Nothing was changed.\n")
        sys.exit(1)
    review.say_yes()
    write_out("Done. You will be asked anew when a file changes.\n")


def _revoke(folder: Path, *, yes: bool) -> None:
    from workbench.config import user_folder
    from workbench.project_review import trusted_text
    from workbench.project_trust import ProjectTrust

    text = trusted_text(folder)
    if not text:
        write_out("Nothing in this folder has your yes.\n")
        return
    write_out(f"{text}\n")
    if not yes and not click.confirm("Take your yes to all of this back?"):
        write_out("Nothing was changed.\n")
        sys.exit(1)
    ProjectTrust(folder, user_folder()).take_back()
    write_out("Done. It takes effect at the next start, and you will be asked anew.\n")


def _refuse_slips(
    target: str | None, trust: str | None = None, tools: Sequence[str] = (), mcp: Sequence[str] = ()
) -> None:
    """Raise ConfigError for what cannot be there: cheaper than a screen that opens to say so."""
    for place in (*([target] if target is not None else ()), *tools):
        _refuse_missing(place, main.commands if place is target else ())
    for path in mcp:
        if not Path(path).exists():
            raise ConfigError(f"there is no {path}", hint=_near(path, neighbours(Path(path))))
    if trust is not None and trust not in APPROVALS and not Path(trust).exists():
        hint = f"Its own policies are {', '.join(APPROVALS)}; a file holds one of yours."
        raise ConfigError(f"there is no policy {trust}", hint=_near(trust, APPROVALS) or hint)


def _refuse_missing(target: str, commands: Iterable[str]) -> None:
    try:
        place, _ = split_target(target)
        if place.exists() or may_be_module(place):
            return
    except OSError as error:  # longer than a name can be, or where one may not look
        raise ConfigError(f"cannot open {target}: {error.strerror}", hint=_TARGETS) from error
    if target in commands:
        raise ConfigError(f"there is no {target}", hint=f"A command comes first: workbench {target} …")
    known = [*neighbours(place), *(commands if len(place.parts) == 1 else ())]
    raise ConfigError(f"there is no {target}", hint=_near(str(place), known) or _TARGETS)


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
        _tell(error)
        sys.exit(2 if isinstance(error, ConfigError) else 1)
    except click.UsageError as error:
        _tell(_slip(error))
        sys.exit(2)
    except (EOFError, click.Abort) as error:  # click turns either end of a question into its own
        if isinstance(error, click.Abort):
            click.echo(err=True)  # the question has no end of its line
        if isinstance(error.__context__, KeyboardInterrupt):
            sys.exit(130)
        click.echo("workbench: the input ended before an answer", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def _tell(error: WorkbenchError) -> None:
    click.echo(f"workbench: {visible(str(error))}", err=True)
    if error.hint:
        click.echo(visible(error.hint), err=True)


def _slip(error: click.UsageError) -> ConfigError:
    """What click found wrong with the words of the command line, in the words of all other errors."""
    context = error.ctx or click.get_current_context()
    usage = f"See {context.command_path} {context.invoked_subcommand or ''}".rstrip() + " --help."
    if isinstance(error, click.NoSuchOption):
        return ConfigError(f"there is no option {error.option_name}", hint=_option_hint(error) or usage)
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return ConfigError(f"{error.param.make_metavar(context)} is missing", hint=usage)
    try:  # a word too many often comes behind one that is wrong
        _refuse_slips(context.params.get("target"))
    except ConfigError as wrong:
        return wrong
    said = error.format_message().rstrip(".")
    return ConfigError(said[:1].lower() + said[1:], hint=usage)


def _option_hint(error: click.NoSuchOption) -> str:
    for name, command in main.commands.items():
        if any(error.option_name in each.opts for each in command.params):
            return f"It is one of workbench {name}."
    return f"Did you mean {' or '.join(error.possibilities)}?" if error.possibilities else ""


if __name__ == "__main__":
    main()

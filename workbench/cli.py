"""The ``workbench`` command: the app, or one turn without a screen."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import click

from workbench.errors import ConfigError, WorkbenchError
from workbench.visible import visible

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
    workbench trust          let the settings of this folder take effect

    TARGET is a folder or file of tools, or FILE.py[:NAME] or MODULE:NAME holding an Agent.
    Without one, the sample tools are loaded.
    """


def _shared(command: Any) -> Any:
    for option in (
        click.option("--model", help="Any model that litellm knows, or offline (needs no key)."),
        click.option(
            "--tools", multiple=True, metavar="PATH", help="More tools: a folder or file; repeatable."
        ),
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
@click.option("--mcp", multiple=True, metavar="FILE", help="Tools of the MCP servers in an mcpServers file.")
def open_app(
    target: str | None,
    model: str | None,
    tools: tuple[str, ...],
    trust: str | None,
    theme: str | None,
    mcp: tuple[str, ...],
) -> None:
    """Open the app on TARGET."""
    from workbench.launch import run_app

    with _told_plainly():
        code, lines = run_app(target, model=model, tools=tools, trust=trust, theme=theme, mcp=mcp)
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
@click.option("--max-iterations", type=click.IntRange(min=1), help="Model calls at most.")
@click.option("--quiet", is_flag=True, help="Nothing on stderr but errors.")
def run(
    prompt: str,
    target: str | None,
    model: str | None,
    tools: tuple[str, ...],
    trust: str | None,
    approve: str | None,
    max_iterations: int | None,
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
        answer, status = run_once(
            text,
            target,
            model=model,
            tools=tools,
            trust=trust,
            approve=mode,
            max_iterations=max_iterations,
            quiet=quiet,
        )
    if answer:
        # on a terminal, text of models and tools must not act; into a file or a pipe it goes as it is
        sys.stdout.write((visible(answer) if sys.stdout.isatty() else answer) + "\n")
    sys.exit(EXIT_CODES[status])


@main.command()
@click.argument("folder", default=".", type=click.Path(exists=True, file_okay=False))
@click.option("--yes", is_flag=True, help="Do not ask.")
def trust(folder: str, yes: bool) -> None:
    """Let the settings of FOLDER (default: this one) take effect, after showing what they are.

    A project's own files can make things stricter, but only with your yes can they open tools, choose
    the model or its address, or set variables. It holds until one of the files changes.
    """
    from workbench.project_review import ProjectReview

    with _told_plainly():
        review = ProjectReview(Path(folder))
        if not review.waiting:
            click.echo("Nothing in this folder waits for your yes.")
            return
        click.echo(review.text)
        if not yes and not click.confirm("Let all of this take effect?"):
            click.echo("Nothing was changed.")
            sys.exit(1)
        review.say_yes()
        click.echo("Done. You will be asked anew when a file changes.")


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

"""A group of commands of which one need not be named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_OWN: Final = ("--help", "-h", "--version")


class DefaultGroup(click.Group):
    """Takes ``program WORDS`` for ``program open WORDS`` where the first word is none of the commands.

    The text of its help lists the commands, with what they take.
    """

    default = "open"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the command that is not named before the words."""
        first = args[0] if args else ""
        completed = ctx.resilient_parsing and not args  # the first word is being written
        if not completed and first not in self.commands and first not in _OWN:
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer for the first word what may stand behind the command that is not named, too."""
        command = self.commands[self.default]
        below = command.make_context(self.default, [], parent=ctx, resilient_parsing=True)
        first = next(each for each in command.params if isinstance(each, click.Argument))
        found = [
            *([] if incomplete.startswith("-") else first.shell_complete(below, incomplete)),
            *command.shell_complete(below, incomplete),
            *super().shell_complete(ctx, incomplete),
        ]
        return list({(each.type, each.value): each for each in found}.values())

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Leave the list out, which would be a second one."""

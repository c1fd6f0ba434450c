"""Every error that Workbench raises on purpose, in one tree.

::

    WorkbenchError
    ├── ConfigError                  configuration, command line, policy and theme files
    │   └── AgentChoiceError         a file holds several agents, and nothing says which one is meant
    ├── HookError                    a handler that cannot be used, or that spoiled the session
    │   └── MessageOrderError        a handler put a message where it breaks call/result pairing
    ├── TranscriptError              a message list that no provider would accept
    ├── ToolRejected                 raised by hooks: this call (or batch) shall not run
    ├── StopTurn                     raised by hooks: end the turn now
    ├── ToolError                    everything about a tool that the model may read
    │   ├── ToolRegistrationError    this object cannot become a tool (also a ValueError)
    │   ├── ToolNotFoundError        no tool of that name (also a KeyError)
    │   ├── ToolDisabledError        the tool is switched off
    │   ├── ToolArgumentsError       the arguments do not fit the schema (also a ValueError)
    │   ├── ToolDeniedError          the permission policy, or the person asked, said no
    │   ├── ToolTimeoutError         the tool ran longer than its own limit (also a TimeoutError)
    │   └── ToolServerError          the server that runs the tool says it failed, or cannot be reached
    ├── ProviderError                the model did not answer
    │   ├── MissingKeyError          no key, or a key that was refused
    │   ├── UnknownModelError        no such model or no such provider
    │   ├── ProviderConnectionError  refused, unreachable, cut in mid answer
    │   ├── RateLimitError           too many requests; ``retry_after`` says how long
    │   ├── ContextOverflowError     the messages do not fit the model's context
    │   ├── ContentFilterError       the provider refused the content
    │   ├── ProviderTimeoutError     no answer in time
    │   ├── InvalidRequestError      the provider could not read the request
    │   └── ModelHostError           the process that talks to the model died or spoke garbage
    └── StorageError                 a session file that cannot be written or read

Three readers: ``str(error)`` says what is wrong; ``error.hint`` says what to do about it (for the
person in front of the screen); the traceback is for the programmer. What the model reads is made
from the same two texts by the engine.
"""

from __future__ import annotations


class WorkbenchError(Exception):
    """Base of the tree. ``hint`` is one sentence that says what to do, or an empty string."""

    hint: str

    def __init__(self, message: str = "", *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message


class ConfigError(WorkbenchError):
    """A configuration value, command line argument, policy file or theme file is wrong."""


class AgentChoiceError(ConfigError):
    """A file or module holds several agents and none is named; ``choices`` are targets that name one."""

    def __init__(self, message: str, choices: tuple[str, ...]) -> None:
        super().__init__(message, hint=f"Choose one: {' or '.join(choices)}.")
        self.choices = choices


class HookError(WorkbenchError):
    """A handler cannot be used: not callable, an event that does not exist, or it spoiled the session.

    The last is raised by the turn, after every open call was answered; the text names the handler.
    """


class MessageOrderError(HookError):
    """A handler added a message between a tool call and its result; ``after_tools`` is the place."""


class TranscriptError(WorkbenchError):
    """The message list breaks a rule that every provider checks; names the first violation."""


class ToolRejected(WorkbenchError):
    """Raise in ``before_each_tool`` to refuse one call, in ``before_tools`` to refuse the batch.

    The text is the reason that the model reads.
    """


class StopTurn(WorkbenchError):
    """Raise in any hook or tool to end the turn at once; every open call is answered first."""


class ToolError(WorkbenchError):
    """Something about a tool went wrong that the model may read and act on."""


class ToolRegistrationError(ToolError, ValueError):
    """This object cannot become a tool: no usable signature, name or schema, or a taken name."""


class ToolNotFoundError(ToolError, KeyError):
    """No tool has this name; the message lists near names."""


class ToolDisabledError(ToolError):
    """The tool exists but is switched off; the message gives the reason."""


class ToolArgumentsError(ToolError, ValueError):
    """The arguments do not fit the tool's schema; the message lists each fault and what would be right."""


class ToolDeniedError(ToolError):
    """The permission policy denied the call, or the person who was asked did."""


class ToolTimeoutError(ToolError, TimeoutError):
    """The tool ran longer than ``ToolMetadata.timeout`` seconds."""


class ToolServerError(ToolError):
    """The server that runs the tool answered with an error, or cannot be reached."""


class ProviderError(WorkbenchError):
    """The model did not answer. The turn fails, the transcript stays sendable, the next turn works."""


class MissingKeyError(ProviderError):
    """No API key, or one that the provider refused; the hint names the variable to set."""


class UnknownModelError(ProviderError):
    """No such model or provider; the hint lists near names."""


class ProviderConnectionError(ProviderError):
    """The server refused the connection, could not be reached, or cut the answer short."""


class RateLimitError(ProviderError):
    """Too many requests. ``retry_after`` is the server's own hint in seconds, or None."""

    def __init__(self, message: str = "", *, hint: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class ContextOverflowError(ProviderError):
    """The messages are larger than the model's context window."""


class ContentFilterError(ProviderError):
    """The provider's content filter refused the request or cut the answer."""


class ProviderTimeoutError(ProviderError):
    """The model did not answer in time."""


class InvalidRequestError(ProviderError):
    """The provider could not accept the request as sent."""


class ModelHostError(ProviderError):
    """The model host process ended, hung or wrote something that is not the protocol."""


class StorageError(WorkbenchError):
    """A session or log file cannot be written or read."""

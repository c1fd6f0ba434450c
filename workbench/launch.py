"""Runs the app on an agent, or one turn of it without a screen."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from workbench.config import FILE_NAME, Config, load_config, user_folder
from workbench.environment import load_env_files
from workbench.errors import ConfigError, StorageError, WorkbenchError
from workbench.project_trust import ProjectTrust
from workbench.resources import resource_folder
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.engine.agent import Agent
    from workbench.engine.llm import LLM
    from workbench.storage.breakpoint_file import BreakpointFile
    from workbench.toolbox.tool_source import ToolSource
    from workbench.tui.events import Post
    from workbench.tui.looks import Looks
    from workbench.tui.model_switch import ModelSwitch
    from workbench.tui.palette import Palette
    from workbench.tui.sending import Upkeep


def run_once(
    prompt: str,
    target: str | None,
    *,
    model: str | None,
    tools: Sequence[str],
    trust: str | None,
    resume: str | None = None,
    approve: str,
    max_iterations: int | None,
    images: Sequence[str] = (),
    mcp: Sequence[str] = (),
    quiet: bool,
) -> tuple[str, str]:
    """One turn; the answer and the turn's status. Everything else goes to stderr and the logs."""
    import click

    from workbench.compose import build_agent
    from workbench.console.printer import ConsolePrinter
    from workbench.console.process_output import ProcessOutput
    from workbench.console.terminal_approval import TerminalApproval, mode_of
    from workbench.engine.images import load_images

    def complain(source: str, reason: str, where: str) -> None:
        said = f"{source} was not loaded: {where + ': ' if where else ''}{reason}"
        click.echo(f"workbench: {visible_line(said)}", err=True)

    sources: list[ToolSource] = []
    pictures = load_images(images)  # a wrong one is said before anything begins
    load_env_files(Path.cwd())
    agent = build_agent(
        target, model=model, tools=tools, trust=trust, problem=complain, loaded=sources.append
    )
    if resume is not None:
        from workbench.storage.continuing import resume_session

        resume_session(agent, named_session(resume))
    agent.quiet = quiet
    agent.observers.append(ConsolePrinter(show_result=False))
    agent.hooks.add(TerminalApproval(mode_of(approve)).handler)
    with closing(agent), _servers_of(agent, mcp):
        for line in () if quiet else _amiss(agent, sources):
            click.echo(f"workbench: {visible_line(line)}", err=True)
        try:
            # stdout is for the answer; what tools, hooks and their children print goes where all else goes
            with ProcessOutput(stdout_to=2) as agent.output:
                answer = agent.input(prompt, max_iterations, images=pictures)
        except WorkbenchError:
            if quiet:
                raise
            return "", "error"  # the printer has said why
        except Exception as error:  # what a handler of the person's own raised
            if not _tell_raised(agent, error):
                raise
            return "", "error"
        return answer, agent.last_status or "error"


def _tell_raised(agent: Agent, error: Exception) -> bool:
    """Say where in a person's code it came up, and where all of it is; False where no log has it."""
    import click

    from workbench.console.raised import raised_lines
    from workbench.storage.text_log import TextLog

    logs = [each.path for each in agent.observers if isinstance(each, TextLog) and each.path is not None]
    if not logs:
        return False
    first, *frames = raised_lines(error)
    for line in (f"workbench: {first}", *frames, f"The whole traceback is in {_short(logs[0])}"):
        click.echo(visible_line(line), err=True)
    return True


def named_session(word: str) -> Path:
    """The file of the session that a person named. Raises ConfigError that says what there is instead."""
    from workbench.storage.session_index import find_session

    try:
        return find_session(Path.cwd(), word)
    except StorageError as error:
        raise ConfigError(str(error), hint=error.hint) from error


def _servers_of(agent: Agent, mcp: Sequence[str]) -> AbstractContextManager[None]:
    """The MCP servers of these files, ready. Raises ConfigError for one that does not start."""
    if not mcp:
        return nullcontext()
    from workbench.toolbox.mcp_ready import ready_servers

    return ready_servers(agent.tools, [Path(path) for path in mcp])


def _amiss(agent: Agent, sources: Sequence[ToolSource]) -> Iterator[str]:
    """What was asked for and comes to nothing: places without a tool, rules that fit none."""
    from workbench.registry.idle_rules import idle_rules
    from workbench.toolbox.agent_source import AgentSource

    for source in sources:
        empty = not any(file.tools or file.failures for file in source.files)
        if empty and not isinstance(source, AgentSource):  # an agent may well have none
            yield f"there are no tools in {source.place}: each public function of a Python file is one"
    for rule in idle_rules(agent.tools.policy, agent.tools):
        yield f"a rule of the policy covers nothing: {rule}"


def run_app(
    target: str | None,
    *,
    model: str | None,
    tools: Sequence[str],
    trust: str | None,
    resume: str | None = None,
    theme: str | None,
    ascii_only: bool = False,
    mcp: Sequence[str] = (),
) -> tuple[int, list[str]]:
    """The app until it is left; its exit code, and lines to say afterwards: where the session was kept."""
    # thousands of objects are made until the first frame, and all of them stay: no pass finds anything
    gc.disable()
    from workbench.tui.looks import looks_of

    load_env_files(Path.cwd())
    config = load_config(Path.cwd())
    palette = _palette(theme, config.theme)
    if resume is not None:
        named_session(resume)  # said before the screen comes up
    if model is not None and model.startswith("replay:"):
        _make_llm(model, {})  # as well
    _need_a_terminal()
    looks = looks_of(ascii_only=ascii_only or config.ascii, motion=config.motion)
    backstage = _Backstage(target, model=model, tools=tools, trust=trust, mcp=mcp)
    if palette.name != (theme or config.theme):
        backstage.gone_theme = config.theme
    return _show(backstage, config, model or config.model, palette, looks, resume)


def _show(
    backstage: _Backstage, config: Config, model: str, palette: Palette, looks: Looks, resume: str | None
) -> tuple[int, list[str]]:
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.guard import ScreenGuard

    def make_models() -> ModelSwitch:
        from workbench.tui.model_switch import ModelSwitch

        return ModelSwitch(_make_llm, configured=config.parameters)

    guard = ScreenGuard()
    with guard:
        app = WorkbenchApp(
            backstage.build,
            themes={palette.name: palette},
            theme=palette.name,
            model=model,
            make_models=make_models,
            make_breakpoint_keeper=_breakpoint_file,
            keymap=config.keymap,
            looks=looks,
            guard=guard,
            first=(f"/resume {resume}",) if resume is not None else (),
        )
        backstage.set_upkeep = partial(setattr, app.sending, "upkeep")
        app.themes.keep = lambda name: app.background.do("keep the theme", partial(_keep_theme, name))
        try:
            app.run()
        finally:
            lines = _farewell(app.agent_thread.agent, backstage.words)
            app.agent_thread.finish(timeout=2)
            backstage.close()
    return app.return_code or 0, lines


class _Backstage:
    """What works behind the screen from its first frame on, none of which that frame waits for."""

    def __init__(
        self,
        target: str | None,
        *,
        model: str | None,
        tools: Sequence[str],
        trust: str | None,
        mcp: Sequence[str],
    ) -> None:
        self._target = target
        self._model = model
        self._tools = tools
        self._trust = trust
        self._mcp = mcp
        self._ends = ExitStack()
        self._begun = False
        self.gone_theme = ""
        self.set_upkeep: Callable[[Upkeep], object] = _nobody

    @property
    def words(self) -> list[str]:
        """What brings the same tools back, as words of the command line."""
        words = [self._target] if self._target else []
        options = [("--tools", path) for path in self._tools] + [("--mcp", path) for path in self._mcp]
        return words + [word for option in options for word in option]

    def build(self, post: Post) -> Agent:
        """The agent, with all that follows files and logs. On the agent's thread.

        Asked again after it failed, it reads the project's files anew.
        """
        if self._begun:
            from workbench.toolbox.mending import forget_project

            load_env_files(Path.cwd())
            forget_project(Path.cwd())
            return self._agent(post)
        self._begun = True
        self._listen(post)
        try:
            return self._agent(post)
        finally:
            # beside the agent, which shall not come later for it
            Thread(target=self._bring_themes, args=(post,), name="workbench-read-themes", daemon=True).start()

    def _agent(self, post: Post) -> Agent:
        from workbench.compose import build_agent
        from workbench.environment import env_files_hook
        from workbench.tui import events
        from workbench.upkeep import ToolUpkeep

        def progress(done: int, total: int, at_work: str) -> None:
            post(events.LoadProgress("", time.time(), done, total, at_work))

        def problem(source: str, reason: str, where: str) -> None:
            post(events.LoadFailed("", time.time(), source, reason, where))

        sources: list[ToolSource] = []
        agent = build_agent(
            self._target,
            model=self._model,
            tools=self._tools,
            trust=self._trust,
            progress=progress,
            problem=problem,
            loaded=sources.append,
        )
        agent.hooks.add(env_files_hook(Path.cwd()), first=True)
        with ExitStack() as undone:
            undone.callback(agent.close)
            upkeep = ToolUpkeep(agent.tools, sources, post, mcp=[Path(path) for path in self._mcp])
            undone.pop_all()
        self._ends.callback(upkeep.close)
        upkeep.start()
        self.set_upkeep(upkeep)
        return agent

    def close(self) -> None:
        """The app has ended."""
        self._ends.close()

    def _listen(self, post: Post) -> None:
        from workbench.tui.log_notices import LogNotices
        from workbench.tui.stray_notices import StrayNotices

        for notices in (LogNotices(), StrayNotices()):
            notices.attach(post)
            self._ends.callback(notices.remove)

    def _bring_themes(self, post: Post) -> None:
        """Let the others be chosen too, say what is wrong with some, and follow their files."""
        from workbench.tui import events
        from workbench.tui.theme_watch import ThemeWatch
        from workbench.tui.themes import load_themes

        watch = ThemeWatch(_theme_folders(), post)
        self._ends.callback(watch.close)
        watch.start()
        themes, broken = load_themes(_theme_folders())
        for palette in themes.values():
            post(events.ThemeSaved("", time.time(), palette))
        for error in broken:
            post(events.Notice("", time.time(), str(error), "", error.hint))
        if self.gone_theme:
            title = f"There is no theme {self.gone_theme} any more: this is {Config().theme}"
            post(events.Notice("", time.time(), title, "", "/theme lists those that are there.", "warning"))


def _nobody(_: object) -> None:
    """There is no app yet."""


def _theme_folders() -> tuple[Path, Path]:
    return resource_folder("themes"), user_folder() / "themes"


def _palette(asked: str | None, configured: str) -> Palette:
    """The theme that was asked for or is configured, else the usual one; reads no more files than it must.

    Raises ConfigError if there is none that was asked for.
    """
    from workbench.tui.themes import find_theme, load_themes

    found = find_theme(_theme_folders(), asked or configured)
    if found is None and not asked:
        found = find_theme(_theme_folders(), Config().theme)
    if found is None:
        known, _ = load_themes(_theme_folders())
        raise ConfigError(f"there is no theme {asked}", hint=f"Themes are {', '.join(sorted(known))}.")
    return found


def _make_llm(model: str, parameters: Mapping[str, Any]) -> LLM:
    from workbench.compose import make_llm

    return make_llm(model, parameters)


def _breakpoint_file() -> BreakpointFile:
    from workbench.storage.breakpoint_file import BreakpointFile

    return BreakpointFile(Path.cwd(), ProjectTrust(Path.cwd(), user_folder()))


def _keep_theme(name: str) -> None:
    from workbench.tui.kept_setting import keep_setting

    keep_setting(user_folder() / FILE_NAME, "theme", name)


def _need_a_terminal() -> None:
    if not (sys.stdin.isatty() and (sys.stdout.isatty() or sys.stderr.isatty())):
        raise ConfigError(
            "the app needs a terminal", hint="Without one: workbench run PROMPT; see workbench run --help."
        )


def _farewell(agent: Agent | None, words: Sequence[str]) -> list[str]:
    """Where the session is, and how to go on with it; to be asked for before its log is closed."""
    import shlex

    from workbench.storage.session_log import SessionLog

    logs = [observer for observer in agent.observers if isinstance(observer, SessionLog)] if agent else []
    return [
        line
        for log in logs
        if log.path is not None
        for line in (
            f"The session is in {_short(log.path)}",
            f"Go on with it: {shlex.join(['workbench', *words, '--resume', log.path.stem])}",
        )
    ]


def _short(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path

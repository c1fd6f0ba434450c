"""Runs the app on an agent, or one turn of it without a screen."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.config import FILE_NAME, Config, load_config, user_folder
from workbench.environment import load_env_files
from workbench.errors import ConfigError, WorkbenchError
from workbench.project_trust import ProjectTrust
from workbench.resources import resource_folder

if TYPE_CHECKING:
    from workbench.engine.agent import Agent
    from workbench.engine.llm import LLM
    from workbench.storage.breakpoint_file import BreakpointFile
    from workbench.toolbox.tool_source import ToolSource


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
    quiet: bool,
) -> tuple[str, str]:
    """One turn; the answer and the turn's status. Everything else goes to stderr and the logs."""
    import click

    from workbench.compose import build_agent
    from workbench.console.printer import ConsolePrinter
    from workbench.console.process_output import ProcessOutput
    from workbench.console.terminal_approval import TerminalApproval, mode_of

    def complain(source: str, reason: str, where: str) -> None:
        click.echo(f"workbench: {source} was not loaded: {where + ': ' if where else ''}{reason}", err=True)

    load_env_files(Path.cwd())
    agent = build_agent(target, model=model, tools=tools, trust=trust, problem=complain)
    if resume is not None:
        from workbench.storage.continuing import resume_session
        from workbench.storage.session_index import find_session

        resume_session(agent, find_session(Path.cwd(), resume))
    agent.quiet = quiet
    agent.observers.append(ConsolePrinter(show_result=False))
    agent.hooks.add(TerminalApproval(mode_of(approve)).handler)
    try:
        # stdout is for the answer alone; what tools, hooks and their children print goes where all else goes
        with ProcessOutput(stdout_to=2) as agent.output:
            answer = agent.input(prompt, max_iterations)
    except WorkbenchError:
        if quiet:
            raise
        return "", "error"  # the printer has said why
    else:
        return answer, agent.last_status or "error"
    finally:
        agent.close()


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
    from workbench.tui import events
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.events import Post
    from workbench.tui.guard import ScreenGuard
    from workbench.tui.log_notices import LogNotices
    from workbench.tui.looks import looks_of
    from workbench.tui.model_switch import ModelSwitch
    from workbench.tui.theme_watch import ThemeWatch
    from workbench.tui.themes import load_themes

    load_env_files(Path.cwd())
    config = load_config(Path.cwd())
    theme_folders = (resource_folder("themes"), user_folder() / "themes")
    themes, broken = load_themes(theme_folders)
    chosen = theme or config.theme
    gone = ""
    if chosen not in themes:
        if theme:
            raise ConfigError(f"there is no theme {theme}", hint=f"Themes are {', '.join(sorted(themes))}.")
        chosen, gone = Config().theme, config.theme
    if resume is not None:
        from workbench.storage.session_index import find_session

        find_session(Path.cwd(), resume)  # said before the screen comes up
    _need_a_terminal()

    def start(post: Post) -> Agent:
        # beside the first frames, which need none of this
        from workbench.compose import build_agent
        from workbench.environment import env_files_hook
        from workbench.upkeep import ToolUpkeep

        def progress(done: int, total: int, at_work: str) -> None:
            post(events.LoadProgress("", time.time(), done, total, at_work))

        def problem(source: str, reason: str, where: str) -> None:
            post(events.LoadFailed("", time.time(), source, reason, where))

        notices.attach(post)
        for error in broken:
            post(events.Notice("", time.time(), str(error), "", error.hint))
        if gone:
            title = f"There is no theme {gone} any more: this is {chosen}"
            post(events.Notice("", time.time(), title, "", "/theme lists those that are there.", "warning"))
        sources: list[ToolSource] = []
        agent = build_agent(
            target,
            model=model,
            tools=tools,
            trust=trust,
            progress=progress,
            problem=problem,
            loaded=sources.append,
        )
        agent.hooks.add(env_files_hook(Path.cwd()), first=True)
        upkeep = ToolUpkeep(agent.tools, sources, post, mcp=[Path(path) for path in mcp])
        upkeep.start()
        app.upkeep = upkeep
        return agent

    guard = ScreenGuard()
    notices = LogNotices()
    lines: list[str] = []
    with guard:
        app = WorkbenchApp(
            start,
            themes=themes,
            theme=chosen,
            model=model or config.model,
            models=ModelSwitch(_make_llm, configured=config.parameters),
            keymap=config.keymap,
            looks=looks_of(ascii_only=ascii_only or config.ascii, motion=config.motion),
            guard=guard,
            first=(f"/resume {resume}",) if resume is not None else (),
        )
        app.make_breakpoint_keeper = _breakpoint_file
        app.themes.keep = lambda name: app.background.do("keep the theme", partial(_keep_theme, name))
        theme_watch = ThemeWatch(theme_folders, app.inbox.post)
        theme_watch.start()
        try:
            app.run()
        finally:
            theme_watch.close()
            lines = _farewell(app.agent_thread.agent)
            app.agent_thread.finish(timeout=2)
            if app.upkeep is not None:
                app.upkeep.close()
            notices.remove()
    return app.return_code or 0, lines


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


def _farewell(agent: Agent | None) -> list[str]:
    """Where the session is; to be asked for before its log is closed."""
    from workbench.storage.session_log import SessionLog

    logs = [observer for observer in agent.observers if isinstance(observer, SessionLog)] if agent else []
    return [f"The session is in {_short(log.path)}" for log in logs if log.path is not None]


def _short(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path

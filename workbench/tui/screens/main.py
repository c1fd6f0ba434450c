"""The main screen: conversation and prompt left, trace and tools right, or all of them as tabs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual import events as textual_events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Input

from workbench.tui import events
from workbench.tui.commands import Scope, hints
from workbench.tui.palette import Palette
from workbench.tui.panels.conversation import Conversation
from workbench.tui.panels.prompt import Prompt
from workbench.tui.panels.queue import QueuePanel
from workbench.tui.panels.status import Activity, ActivityLine, HintLine, TabLine, TopLine
from workbench.tui.panels.tools import ToolsPanel
from workbench.tui.panels.trace import TracePanel
from workbench.tui.screens.patient import PatientScreen

NARROW: Final = 104
LOW: Final = 16
_TABS: Final = ("conversation", "trace", "tools")
_NOT_IN_A_SEARCH: Final = frozenset({"app.stop", "app.next_panel", "app.approval_mode"})
_SCOPES: Final[tuple[tuple[type[Widget], Scope], ...]] = (
    (Prompt, "prompt"),
    (Conversation, "conversation"),
    (TracePanel, "trace"),
    (ToolsPanel, "tools"),
)


class Columns(Horizontal):
    """What stands side by side; it shows nothing of its own, which costs nothing to paint."""

    BLANK = True


class Column(Vertical):
    """What stands one below the other."""

    BLANK = True


class MainScreen(PatientScreen[None]):
    """Lays the panels out and passes events on to them; what a key does is the app's business."""

    AUTO_FOCUS = "#prompt-area"
    BLANK = True
    BINDINGS: ClassVar[list[BindingType]] = [
        # Textual's own screens move the focus with these
        Binding("tab", "app.next_panel", id="app.next_panel", show=False),
        Binding("shift+tab", "app.do('app.approval_mode')", id="app.approval_mode", show=False),
    ]

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self._narrow = False
        self._tab = "conversation"
        self._panel = "prompt"
        self._awaited: tuple[Widget, Callable[[], object]] | None = None
        self._busy = False
        self._laid_out: Size | None = None
        self.top_line = TopLine(palette, id="top")
        self.tab_line = TabLine(palette, id="tabs")
        self.conversation = Conversation(palette, id="conversation")
        self.activity_line = ActivityLine(palette, id="activity")
        self.queue = QueuePanel(palette, id="queue")
        self.prompt = Prompt(palette, id="prompt")
        self.trace = TracePanel(palette, id="trace")
        self.tools = ToolsPanel(palette, id="tools")
        self.hint_line = HintLine(palette, id="hints")
        self._left = Column(id="left")
        self._right = Column(id="right")

    def compose(self) -> ComposeResult:
        """Top line, tabs (when narrow), the two columns, hints."""
        yield self.top_line
        yield self.tab_line
        with Columns(id="body"):
            with self._left:
                yield self.conversation
                yield self.activity_line
                yield self.queue
                yield self.prompt
            with self._right:
                yield self.trace
                yield self.tools
        yield self.hint_line

    def on_mount(self) -> None:
        """Begin with the conversation's tab, and in the prompt."""
        self.queue.display = False
        self._count_tabs()
        if self.focused is None:
            # Textual gives nothing the focus in a window behind, nor when that comes to the front
            self.set_focus(self.prompt.area)

    # looks

    @property
    def palette(self) -> Palette:
        """The colours of every panel."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        for panel in (
            self.top_line,
            self.tab_line,
            self.conversation,
            self.activity_line,
            self.queue,
            self.prompt,
            self.trace,
            self.tools,
            self.hint_line,
        ):
            panel.palette = palette

    @property
    def narrow(self) -> bool:
        """True when the columns are folded into tabs."""
        return self._narrow

    def on_resize(self, event: textual_events.Resize) -> None:
        """Two columns, or tabs; the right column takes 52 %, at least 54 cells."""
        if event.size == self._laid_out:
            # told a second time, by the layout that the first time made: it need not be made again
            event.prevent_default()
            return
        self._laid_out = event.size
        narrow = self._narrow = event.size.width < NARROW
        self.prompt.set_class(event.size.height < LOW, "-low")
        self.top_line.compact = self.trace.compact = self.tools.compact = narrow
        self._right.styles.width = "1fr" if narrow else max(54, round(event.size.width * 0.52))
        self._size_tools(event.size.height)
        self._fold()
        self.top_line.refresh()

    def _fold(self) -> None:
        """Show everything, or what belongs to the tab that is up.

        One by one and by no style sheet, which would be applied to every widget again.
        """
        up = {self._tab} if self._narrow else set(_TABS)
        self.tab_line.display = self._narrow
        self._left.display = "conversation" in up
        self._right.display = not up.isdisjoint(("trace", "tools"))
        self.trace.display = "trace" in up
        self.tools.display = "tools" in up

    def _size_tools(self, height: int) -> None:
        """The tools get the rows they need, at most 45 % of the column; the trace gets the rest."""
        if self.narrow:
            self.tools.styles.height = "1fr"
        else:
            self.tools.styles.height = max(4, min(self.tools.row_count + 1, round((height - 2) * 0.45)))

    def on_tools_panel_rows_changed(self) -> None:
        """What was unfolded there gets room."""
        self._size_tools(self.size.height)

    # facts

    def apply(self, batch: Sequence[events.AgentEvent]) -> None:
        """Pass on what happened."""
        self.conversation.apply(batch)
        self.trace.apply(batch)
        self.tools.apply(batch)
        for event in batch:
            if isinstance(event, events.FaultsChanged):
                self.top_line.status.faults = len(event.faults)
                self.top_line.refresh()
            elif isinstance(event, events.BreakpointsChanged):
                self.top_line.status.stepping = event.step
                self.top_line.status.breakpoints = sum(
                    point.enabled and not point.idle for point in event.points
                )
                self.top_line.refresh()
            elif isinstance(event, events.UsageChanged):
                status = self.top_line.status
                status.context_percent = event.context_percent
                status.tokens, status.cost = event.tokens, event.cost
                self.top_line.refresh()
        if any(isinstance(event, events.ToolsChanged | events.AgentReady) for event in batch):
            self._size_tools(self.size.height)
        self._count_tabs()

    def tick(self, now: float, activity: Activity | None) -> None:
        """Move what shows running time; ``now`` in Unix seconds."""
        self.activity_line.queued = self.queue.count
        self.activity_line.show(activity, now)
        if (activity is not None) != self._busy:
            self._busy = activity is not None
            self._show_hints()
        if activity is not None:
            self.conversation.tick(now)
            self.trace.tick(now)

    # tabs and focus

    def on_tools_panel_explain(self, message: ToolsPanel.Explain) -> None:
        """Why a source could not be loaded is read whole in the conversation."""
        hint = f"At {message.where}." if message.where else ""
        self.conversation.add_notice(f"{message.name} was not loaded", message.reason, hint, "error")
        self.conversation.follow = True
        if self.narrow:
            self.focus_panel("conversation")

    def on_tab_line_chosen(self, message: TabLine.Chosen) -> None:
        """Show the panel and give it the focus."""
        self.focus_panel(message.panel)

    def focus_panel(self, panel: str, then: Callable[[], object] | None = None) -> None:
        """Focus ``conversation``, ``trace``, ``tools`` or ``prompt``; when narrow, its tab comes up.

        ``then`` is called once it has the focus, unless another one is wanted before.
        """
        self._choose_tab("conversation" if panel == "prompt" else panel)
        target: Widget = {
            "conversation": self.conversation,
            "trace": self.trace.focus_target,
            "tools": self.tools.focus_target,
            "prompt": self.prompt.area,
        }[panel]
        self._panel = panel
        self._awaited = (target, then) if then is not None else None
        self._go_on_if_focused()
        if self.narrow:
            self.call_after_refresh(target.focus)  # its tab has to come up first
        else:
            target.focus()

    def move_focus(self, steps: int) -> None:
        """To the next or previous panel: prompt, conversation, trace, tools."""
        order = ("prompt", *_TABS)
        index = order.index(self._panel)
        self.focus_panel(order[(index + steps) % len(order)])

    def on_paste(self, event: textual_events.Paste) -> None:
        """What is pasted over a panel is meant for the message."""
        if self.focused_panel != "prompt":
            self.prompt.area.paste(event.text)
            self.focus_panel("prompt")
            event.stop()

    @property
    def focused_panel(self) -> str:
        """The panel that has the focus; the prompt when none has."""
        for kind, scope in _SCOPES:
            if self.focused is not None and any(
                isinstance(node, kind) for node in self.focused.ancestors_with_self
            ):
                return scope
        return "prompt"

    def _choose_tab(self, tab: str) -> None:
        self._tab = tab
        self._fold()
        self._count_tabs()

    def _count_tabs(self) -> None:
        counts = {
            "trace": str(self.trace.entry_count) if self.trace.entry_count else "",
            "tools": self.tools.count_text,
        }
        self.tab_line.tabs = [(name, name.capitalize(), counts.get(name, "")) for name in _TABS]
        self.tab_line.active = self._tab
        self.tab_line.focused_page = self.focused_panel == self._tab
        self.tab_line.refresh()

    def on_descendant_focus(self) -> None:
        """Hints and tabs follow the focus."""
        self._panel = self.focused_panel
        self._show_hints()
        self._count_tabs()
        self._go_on_if_focused()

    def _go_on_if_focused(self) -> None:
        if self._awaited is not None and self._awaited[0] is self.focused:
            _, then = self._awaited
            self._awaited = None
            self.app.call_later(then)

    def on_conversation_search_toggled(self) -> None:
        """A search has keys of its own, which its row says."""
        self._show_hints()

    def _show_hints(self) -> None:
        scope = next(scope for _, scope in _SCOPES if scope == self.focused_panel)
        held = hints((scope, "app"))
        if not self._busy or scope == "prompt":
            # the activity line above the prompt says it already
            held = [command for command in held if command.id != "app.stop"]
        if self.conversation.searching or isinstance(self.focused, Input):
            # a filter or a search has keys of its own, which its row says
            held = [command for command in hints(("app",)) if command.id not in _NOT_IN_A_SEARCH]
        self.hint_line.show(held)

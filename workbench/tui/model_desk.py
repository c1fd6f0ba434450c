"""Choosing the model and its parameters: the list of models, ``/model`` and ``/set``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from textual.app import App

from workbench.tui import events
from workbench.tui.completion import Arguments
from workbench.tui.desk import Doers
from workbench.tui.model_switch import ModelSwitch
from workbench.tui.palette import Palette
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.tui.screens.models import Choice, ModelsScreen


class ModelDesk:
    """Opens the list once, passes the choice on to ``switch``, and says what became of it.

    ``model`` and ``palette`` tell what holds now; ``turn_running`` whether a choice has to wait.
    """

    def __init__(
        self,
        app: App[Any],
        switch: ModelSwitch,
        *,
        model: Callable[[], str],
        palette: Callable[[], Palette],
        turn_running: Callable[[], bool],
    ) -> None:
        self._app = app
        self._switch = switch
        self._model = model
        self._palette = palette
        self._turn_running = turn_running
        self._list: ModelsScreen | None = None
        self._looked = False
        self._models: list[str] = []

    def doers(self) -> Doers:
        """``/model`` and ``/set``."""
        return {"app.model": self._choose, "app.set": self._set}

    def words(self) -> Arguments:
        """What can stand behind ``/model`` and ``/set``; the models once they were looked for."""
        return {"app.model": self._known_models, "app.set": _parameters}

    def _known_models(self) -> Sequence[str]:
        if not self._looked:
            self._looked = True
            self._switch.look()
        return self._models

    def take_in(self, batch: Sequence[events.AgentEvent]) -> None:
        """Say which model answers; show the models that were found."""
        for event in batch:
            if isinstance(event, events.ModelChanged):
                model, keys = visible_line(event.model), " or ".join(event.missing_key)
                if keys:
                    text = f"{model} is chosen, but {keys} is not set: the next message fails without it."
                    self._app.notify(text, title="Model", markup=False, severity="warning")
                else:
                    text = f"{model} answers from now on."
                    self._app.notify(text, title="Model", markup=False, timeout=2)
            elif isinstance(event, events.ModelsFound):
                self._models = [info.name for group in event.snapshot.groups for info in group.models]
                if self._list is not None:
                    self._list.show(event.snapshot)

    def _choose(self, model: str) -> None:
        """Switch the model from the next request on, or list those there are; the conversation stays."""
        if model:
            self._note_waiting()
            self._switch.switch(model)
        elif self._list is None:
            from workbench.tui.screens.models import ModelsScreen

            self._list = ModelsScreen(self._model(), self._palette(), self._switch.snapshot)
            self._app.push_screen(self._list, self._chosen)
            self._switch.look()

    def _chosen(self, choice: Choice | None) -> None:
        self._list = None
        if choice is not None:
            self._note_waiting()
            self._switch.switch(choice.model, choice.base_url)

    def _set(self, words: str) -> None:
        """Show the model's parameters, or set one."""
        self._note_waiting()
        self._switch.set(words)

    def _note_waiting(self) -> None:
        if self._turn_running():
            self._app.notify("That happens once this turn is over.", title="Model", markup=False, timeout=2)


def _parameters() -> Sequence[str]:
    from workbench.providers.parameters import PARAMETERS

    return tuple(PARAMETERS)

"""Shared by the tests of the screen: pilots that wait for facts, styles that are read once, still cursors."""

from tests.tui import parsed_styles, settling, steady_cursors

settling.use()
parsed_styles.use()
steady_cursors.use()

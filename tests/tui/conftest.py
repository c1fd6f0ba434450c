"""Shared by the tests of the screen: pilots that wait for facts, style sheets that are read once."""

from tests.tui import parsed_styles, settling

settling.use()
parsed_styles.use()

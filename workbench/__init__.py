"""Workbench: build LLM agents and the Python tools they call, and watch both at work."""

from __future__ import annotations

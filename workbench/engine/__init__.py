"""The loop, hooks, session, trace and xray."""

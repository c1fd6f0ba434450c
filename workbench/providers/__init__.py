"""Models: offline, litellm in a process of its own, replay."""

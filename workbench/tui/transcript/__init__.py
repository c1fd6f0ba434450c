"""The conversation as lines: what stands in it, how it is cut, laid out, found again and painted."""

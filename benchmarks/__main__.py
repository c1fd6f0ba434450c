"""Lists the benchmarks, or runs those that are named and prints their tables."""

from __future__ import annotations

import argparse
from importlib import import_module

from benchmarks.table import Table, header

NAMES = ("engine", "registry", "startup", "stream", "ui", "trace")


def main() -> None:
    """Print a table for each name. A goal that is missed is said in the table, never by the exit code."""
    modules = {name: import_module(f"benchmarks.{name}") for name in NAMES}
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="\n".join(f"{name:10} {module.__doc__}" for name, module in modules.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", nargs="*", metavar="NAME", help="or all")
    parser.add_argument("--rounds", type=int, help="how often each row is measured; the median counts")
    options = parser.parse_args()
    if not options.name:
        parser.print_help()
        return
    unknown = set(options.name) - {*NAMES, "all"}
    if unknown:
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    for name in NAMES if "all" in options.name else options.name:
        rounds = options.rounds or modules[name].ROUNDS
        print(header(name, rounds), flush=True)
        table: Table = modules[name].run(rounds)
        print(table.text(), flush=True)


if __name__ == "__main__":
    main()

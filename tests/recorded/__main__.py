"""`python -m tests.recorded` writes the recording; `--check` compares with it; `--show CASE` prints what digests are of."""

import argparse
import sys

from tests.recorded import recording, rows


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.recorded", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare and write nothing; exit code 1 if a row differs")
    parser.add_argument("--show", metavar="CASE", help="print the text of every case whose name contains this")
    parser.add_argument(
        "--section", action="append", choices=list(recording.SECTIONS), help="only this one; repeatable"
    )
    parser.add_argument("--workers", type=int, metavar="W", help="processes (default: all cores)")
    options = parser.parse_args()
    sections = options.section or list(recording.SECTIONS)
    if options.show:
        show(options.show, sections)
        return 0
    found = recording.make(sections, options.workers)
    differing = recording.differences(found)
    for paragraph in differing:
        print(paragraph)
    print(f"{len(differing)} of {sum(map(len, found.values())):,} rows differ.")
    if options.check:
        if differing and (hint := recording.hint()):
            print(hint)
        return 1 if differing else 0
    recording.write(found)
    return 0


def show(wanted: str, sections: list[str]) -> None:
    for recorded in recording.texts(wanted, sections):
        print(f"=== {recorded.case}: {rows.brief(recorded.fields)}")
        for part, lines in recorded.text.items():
            print(f"--- {part}", *lines, sep="\n")


if __name__ == "__main__":
    sys.exit(main())

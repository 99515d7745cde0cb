"""`surefoot gate`: may this change ship?"""

import argparse
import json
import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.display import Display
from surefoot.errors import InvalidValue, number, whole

if TYPE_CHECKING:
    from surefoot.work.gate import Gate
    from surefoot.work.gate.gate_sources import Source

PASSED, UNDECIDED, FAILED, INTERRUPTED = 0, 3, 4, 130
MAX_PULLS = 2_000

EXAMPLE = """\
example:
  surefoot gate --baseline "./old --bench" --candidate "./new --bench" --margin 2%
  surefoot gate --baseline "python3 a.py" --candidate "python3 b.py" --rewards 0 1 --margin 0.01 --json
  surefoot gate --baseline ./old --candidate ./new --limit "quantile(0.99, seconds) <= 2" --timeout 10
  surefoot gate models.toml --baseline current --candidate new --margin 0.01
  surefoot gate times.csv --baseline old --candidate new --goal min --margin 5%
  surefoot gate --baseline ./old --candidate ./new --ledger gates.jsonl --summary "$GITHUB_STEP_SUMMARY"

The baseline and the candidate are run in rounds: each round runs both, in a new random order, so that whatever both share
(a machine that warms up, or other load) cancels. Commands run without a shell. Surefoot stops as soon as it knows.

Without --rewards, seconds are compared round by round: pass means that the candidate takes at most the margin longer than
the baseline in more than half of the rounds. This needs no range and is robust to outliers. With --rewards LO HI, the last
line of output of each command is a number in this range, and means are compared. --compare means compares the mean of the
seconds, up to --timeout.

A margin such as 2% is a part of the baseline. A number such as 0.02 is a part of the baseline, too, where seconds are
measured (2 %); elsewhere it is in the unit of the results.

With FILE (.toml), baseline and candidate are arms of the problem file, and its limits hold for the candidate. With LOG (CSV,
TSV or Parquet), they are columns, and each row is a round.

Exit code: 0 pass, 4 fail, 3 undecided, 2 bad input, 130 interrupted.
"""


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "gate",
        help="say whether a change may ship: is the candidate no worse than the baseline by more than a margin?",
        description="Run a baseline and a candidate in turns until it is known whether the candidate is worse by more than "
        "a margin. A wrong pass and a wrong fail each have a probability of at most delta.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("file", nargs="?", metavar="FILE", help="problem file (.toml) or log; left out: two commands")
    command.add_argument("--baseline", metavar="CMD", help="command, arm or column to compare with")
    command.add_argument("--candidate", metavar="CMD", required=True, help="command, arm or column that may ship")
    command.add_argument(
        "--margin",
        default="0",
        metavar="M",
        help="by how much the candidate may be worse: 2%%, or a number such as 0.02 (default: 0)",
    )
    command.add_argument(
        "--slack",
        default="0",
        metavar="E",
        help="how far beyond the margin a candidate may be and still pass: within it both verdicts count as right "
        "(default: 0)",
    )
    command.add_argument(
        "--limit", action="append", default=[], metavar="LIMIT", help="further limit on the candidate; may be repeated"
    )
    command.add_argument(
        "--rewards",
        nargs=2,
        type=float,
        metavar=("LO", "HI"),
        help="compare what the commands print, or the columns hold: every result lies in this range",
    )
    command.add_argument(
        "--goal", choices=("max", "min"), help="whether more or less is better (default: min for seconds)"
    )
    command.add_argument("--metric", metavar="NAME", help="metric of FILE to compare (default: that of its goal)")
    command.add_argument(
        "--compare",
        choices=("signs", "means"),
        help="compare round by round, or on average (default: means where there is a range)",
    )
    command.add_argument(
        "--delta",
        type=float,
        metavar="D",
        help="how probable a wrong pass may be, and a wrong fail, at most (default: 0.05)",
    )
    command.add_argument(
        "--timeout", type=float, metavar="S", help="seconds after which a pull has failed (default: never)"
    )
    command.add_argument(
        "--max-pulls", type=int, metavar="N", help=f"stop undecided after so many pulls (default: {MAX_PULLS:,})"
    )
    command.add_argument("--max-seconds", type=float, metavar="S", help="begin no round after so many seconds")
    command.add_argument(
        "--warm-up", type=int, default=0, metavar="R", help="rounds to make at first and not to count (default: 0)"
    )
    command.add_argument("--seed", type=int, metavar="S", help="seed of the order within rounds (default: a new one)")
    command.add_argument(
        "--ledger",
        metavar="FILE",
        help="file that all gates of a project share: the probability that any of them passes wrongly is at most delta",
    )
    command.add_argument("--summary", metavar="FILE", help="append a summary in Markdown to this file")
    command.add_argument("--out", metavar="OUT", help="write the results of each round to this CSV file")
    command.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from surefoot.work.gate import Gate, ledger, words
    from surefoot.work.gate.gate import run as run_rounds
    from surefoot.work.gate.rounds_csv import RoundsFile

    for option in ("summary", "out"):
        check_file(f"--{option}", getattr(options, option))
    if options.max_pulls is not None:
        whole("max-pulls", options.max_pulls, at_least=2)
    warm_up = whole("warm-up", options.warm_up, at_least=0)
    if options.max_seconds is not None:
        number("max-seconds", options.max_seconds, above=0)
    source = source_of(options)
    question = source.question
    gate, entry = Gate(question), None
    if options.ledger:
        asked = f"{words.claim(question, kept=True)}: {' | '.join(source.names)}"
        entry = ledger.claim(Path(options.ledger), question.delta, asked)
        gate = Gate(question.but(entry.share))
    interrupted = False
    with Display(not options.json) as display, RoundsFile(options.out, source) as kept:

        def watch(gate: "Gate", one: Any) -> None:
            kept.write(one)
            display(lambda width: progress(gate), lambda: progress(gate))

        try:
            with source.stopped_at_the_end(), signals_interrupt():
                run_rounds(
                    gate,
                    source.rounds,
                    max_pulls=options.max_pulls or source.max_pulls or (MAX_PULLS if source.is_measured else None),
                    max_seconds=options.max_seconds,
                    warm_up=warm_up,
                    watch=watch,
                )
        except KeyboardInterrupt:
            interrupted = True
    return told(options, source, gate, entry, interrupted)


def told(options: argparse.Namespace, source: "Source", gate: "Gate", entry: Any, interrupted: bool) -> int:
    """Print the report, add the summary; the exit code."""
    from surefoot.work.gate import words

    report = gate.report()
    stopped = interrupted and report.verdict == "undecided"
    if options.json:
        more = {
            "names": dict(zip(("baseline", "candidate"), source.names, strict=True)),
            "seed": source.seed,
            "skipped": source.skipped,
            "ledger": entry and entry._asdict(),
            "interrupted": stopped,
        }
        print(json.dumps(words.as_object(report) | more))
    else:
        print(words.sentence(report))
        for reason in words.reasons(report):
            print(f"  {reason}")
        if entry:
            print(f"  This is gate {entry.gate:,} of {options.ledger}: its share of delta is {entry.share:.3g}.")
    if source.skipped:
        print(f"surefoot: values that were skipped because the other is missing: {source.skipped:,}", file=sys.stderr)
    if stopped:
        print("surefoot: interrupted", file=sys.stderr)
    if options.summary:
        with written("--summary", options.summary), open(options.summary, "a", encoding="utf-8") as file:
            file.write(words.markdown(report, source.names))
    if stopped:
        return INTERRUPTED
    return {"pass": PASSED, "fail": FAILED}.get(report.verdict, UNDECIDED)


def source_of(options: argparse.Namespace) -> "Source":
    """Where the rounds come from: two commands, a problem file or a log."""
    from surefoot.work.gate import gate_sources

    asked = gate_sources.Asked(
        baseline=options.baseline,
        candidate=options.candidate,
        margin=options.margin,
        slack=options.slack,
        limits=options.limit,
        rewards=options.rewards and tuple(options.rewards),
        goal=options.goal,
        metric=options.metric,
        compare=options.compare,
        delta=options.delta,
        timeout=options.timeout,
        seed=options.seed,
    )
    if options.file is None:
        return gate_sources.of_commands(asked, split)
    if options.file.endswith(".toml"):
        return gate_sources.of_problem(asked, Path(options.file))
    return gate_sources.of_log(asked, options.file)


def split(name: str, text: str) -> tuple[str, ...]:
    """The words of a command, as a shell would split them."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise InvalidValue(f"--{name} must be a command whose quotes are closed, got {text!r}: {error}") from error
    if not words:
        raise InvalidValue(f"--{name} must be a command, got {text!r}")
    return words


def progress(gate: "Gate") -> str:
    from surefoot.work.gate import words

    report = gate.report()
    to_pass, to_fail = (round(100 * share) for share in report.shares)
    return (
        f"{report.rounds:,} rounds, {to_pass} % of the way to a pass, {to_fail} % to a fail. {words.difference(report)}"
    )


@contextmanager
def signals_interrupt() -> Iterator[None]:
    """A signal that asks the command to end is a Ctrl-C."""
    from surefoot.cli.run import ending_signals

    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in ending_signals()}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def check_file(option: str, path: str | None) -> None:
    """Can it be written? Asked before the work, not after it."""
    if path is not None:
        with written(option, path), open(path, "a"):
            pass


@contextmanager
def written(option: str, path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InvalidValue(f"{option} must be a file that can be written: {path}: {error.strerror}") from error

"""`surefoot run`: measure the arms of a problem file until it is decided, and keep what was measured."""

import argparse
import json
import os
import signal
from pathlib import Path
from typing import Any

from surefoot.cli import picture, program_options
from surefoot.work.shell import shell_command

EXAMPLE = """\
example:
  surefoot run speed.toml
  surefoot run speed.toml --workers 4 --timeout 60 --picture speed.png
  surefoot run speed.toml --max-pulls 500 --json
  surefoot run speed.toml --bounds sharp          # arms whose results are correlated

FILE is a problem file (TOML). Each arm says where its results come from:

  risk = "variance <= 0.04"
  rewards = [0, 1]
  [[arms]]
  name = "fast"
  command = ["./measure.sh", "fast"]   # run without a shell, in FILE's folder; its last line of output is the result
  [[arms]]
  name = "python"
  call = "measures:accuracy"           # a Python function, in FILE's folder
  [[arms]]
  name = "log"
  data = "outcomes.csv:reward"         # a column, whose rows are drawn with replacement

or a distribution, as for `surefoot simulate`. Every result is kept in a .db file beside FILE. However the command was
stopped, the same command resumes it. Ctrl-C lets the running pulls finish; a second Ctrl-C stops at once.

Exit code: 0 decided, 3 not decided yet, 2 bad input, 130 interrupted with nothing to resume.
"""


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "run",
        help="measure commands, functions or data until it is clear which is best",
        description="Pull the arms of a problem file until there is a decision. Every result is kept, so that the same "
        "command can resume the run.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("file", metavar="FILE", help="problem file (TOML)")
    command.add_argument(
        "--db",
        metavar="URL",
        help="where the study is stored: a file or postgresql://… (default: a .db file beside FILE)",
    )
    command.add_argument("--name", metavar="STUDY", help="name of the study (default: the name of FILE)")
    program_options.add_options(command, f"that of the study, or for a new one {program_options.FEWEST}")
    command.add_argument(
        "--workers", type=int, default=1, metavar="W", help="number of pulls at the same time (default: 1)"
    )
    command.add_argument(
        "--timeout", type=float, metavar="S", help="seconds after which a pull has failed (default: never)"
    )
    command.add_argument(
        "--retries",
        type=int,
        default=2,
        metavar="K",
        help="how many more failures in a row are allowed before the arm is excluded (default: 2)",
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="S", help="seed of the draws from data and distributions (default: 0)"
    )
    command.add_argument("--max-pulls", type=int, metavar="N", help="stop after so many pulls; the run can be resumed")
    picture.add_option(command)
    command.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    command.set_defaults(run=run, command=command)


def run(options: argparse.Namespace) -> int:
    from surefoot.cli.show import as_object, exit_code, print_study, warn
    from surefoot.study.views.study_progress import StudyDisplay
    from surefoot.work.run import Work
    from surefoot.work.runner import Effort, Runner

    picture.check(options.picture)
    effort = Effort(options.workers, options.retries, options.max_pulls)
    work = Work(Path(options.file), options.db, options.name, options.seed, options.policy, options.bounds)
    measures = work.measures(options.timeout)
    with work.open() as (study, left_over), StudyDisplay(not options.json, begun=study.pulls) as display:
        runner = Runner(study, measures, effort, display, display.note, work.keep_lock)
        interrupted = interruptible(runner, left_over)
    warn(study.warnings)
    code = exit_code(study)
    goes_on = work.kept and not study.decided
    resume = resume_command(options, **({"max_pulls": None} if runner.spent else {})) if goes_on else None
    if options.json:
        print(json.dumps(as_object(study, work.name) | {"db": work.db, "resume": resume}))
    else:
        print_study(study)
        if resume:
            print(f"Resume with: {resume}")
        if study.aside and work.kept:
            print(mending(options, work))
    if options.picture:
        picture.draw(study, options.picture, said=not options.json)
    return 130 if interrupted and not (study.decided or (study.spent and resume)) else code


def interruptible(runner: Any, left_over: list[Any]) -> bool:
    """Make the pulls; whether it was interrupted."""
    terminals = [number for number in (1, 2) if os.isatty(number)]

    def handler(number: int, frame: Any) -> None:
        for terminal in terminals:
            if not os.isatty(terminal):  # it was closed, and all that is written to it would be an error
                os.dup2(os.open(os.devnull, os.O_WRONLY), terminal)
        runner.interrupt()

    before = {number: signal.signal(number, handler) for number in ending_signals()}
    try:
        runner.make(left_over)
    except KeyboardInterrupt:
        return True
    finally:
        for number, old in before.items():
            signal.signal(number, old)
    return bool(runner.stopping)


def ending_signals() -> list[signal.Signals]:
    """Those that ask a run to end; but not that of a terminal that closes, under nohup or where there is none."""
    signals = [signal.SIGINT, signal.SIGTERM]
    hang_up = getattr(signal, "SIGHUP", None)
    if hang_up and signal.getsignal(hang_up) != signal.SIG_IGN:
        signals.append(hang_up)
    return signals


def mending(options: argparse.Namespace, work: Any) -> str:
    """How arms that were excluded come back: the study is about the others for good."""
    return (
        "An excluded arm stays excluded in this study. Repair the arm, delete the study with all its results, "
        "and run again:\n"
        f"  {work.forgetting}\n  {resume_command(options)}\n"
        f"Or keep this study and begin another one:\n  {resume_command(options, name=work.other_name)}"
    )


def resume_command(options: argparse.Namespace, **changes: Any) -> str:
    """The command that was given, with all its options but for these changes.

    --json is left out: it says who reads this one report, not what is to be done.
    """
    values = vars(options) | {"json": False} | changes
    actions = [action for action in options.command._actions if action.dest in values]
    given = [str(values[action.dest]) for action in actions if not action.option_strings]
    changed = {
        action.option_strings[-1]: values[action.dest]
        for action in actions
        if action.option_strings and values[action.dest] != action.default
    }
    return shell_command("run", given, changed)

"""`surefoot list`, `status`, `export`, `salvage`, `delete`: studies that are kept."""

import argparse
import json
import os
import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.errors import BadJournal, InvalidValue, StorageFailed, SurefootError
from surefoot.work.shell import shell_command

if TYPE_CHECKING:
    from surefoot.storage import Storage

DAMAGED = 3  # what was asked for is done, and the answer is not the one hoped for: as for an undecided study

DB = "where the study is stored: a file or postgresql://… (default: the .db file of STUDY)"
STUDY = "name of the study, or the problem file that was run"


def add_to(commands: Any) -> None:
    command = add(commands, "list", list_studies, "list the stored studies", "surefoot list --db studies.db")
    command.add_argument(
        "--db",
        metavar="URL",
        help="where the studies are stored: a file or postgresql://… (default: every .db file in this folder)",
    )
    command = add(
        commands,
        "status",
        status,
        "show the decision of a stored study, or how far it is",
        "surefoot status speed.toml",
    )
    add_study(command)
    example = "surefoot export speed.toml --out rewards.csv\n  surefoot export speed.toml --out rewards.parquet"
    command = add(commands, "export", export, "write the results of a study as CSV, JSON or Parquet", example)
    add_study(command)
    command.add_argument("--out", metavar="FILE", help="file to write (default: standard output)")
    command.add_argument(
        "--format",
        choices=("csv", "json", "parquet"),
        help="format of the output (default: by the name of FILE, or csv)",
    )
    example = (
        "surefoot salvage speed.toml\n  surefoot salvage colours --db studies.db --to rescued.db\n\n"
        "Exit code: 0 if the whole journal is undamaged, 3 if only its beginning is, 2 if nothing can be read."
    )
    command = add(
        commands,
        "salvage",
        salvage,
        "check whether the journal of a study is damaged, and rescue what is before the damage",
        example,
    )
    add_study(command)
    command.add_argument("--to", metavar="URL", help="write the undamaged part there, as a study of the same name")
    example = "surefoot delete speed.toml\n  surefoot delete colours --db studies.db --yes"
    command = add(commands, "delete", delete, "delete a study and all its results", example)
    add_study(command)
    command.add_argument("--yes", action="store_true", help="delete without asking")


def add(commands: Any, name: str, run: Any, help: str, example: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=help,
        description=f"{help[0].upper()}{help[1:]}.",
        epilog=f"example:\n  {example}\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    command.set_defaults(run=run)
    return command


def add_study(command: argparse.ArgumentParser) -> None:
    command.add_argument("study", metavar="STUDY", help=STUDY)
    command.add_argument("--db", metavar="URL", help=DB)


def where(study: str, db: str | None) -> tuple[str, str]:
    """Name and storage of the study that is meant."""
    path = Path(study)
    plain = path.with_suffix("") if path.suffix in (".toml", ".db") else path
    if db is None:
        if path.suffix == ".toml" and not os.path.exists(path) and not os.path.exists(f"{plain}.db"):
            raise InvalidValue(f"there is no file {study}, and no file {plain}.db with its study")
        return plain.name, f"{plain}.db"
    with suppress(SurefootError):  # a study may be called like a file
        connected(db).journal(study)
        return study, db
    return (study if plain == path else plain.name), db


def status(options: argparse.Namespace) -> int:
    from surefoot.cli.show import as_object, exit_code, print_study, warn
    from surefoot.study import Study

    name, db = where(options.study, options.db)
    study = Study.open(db, name)
    warn(study.warnings)
    if options.json:
        print(json.dumps(as_object(study, name) | {"db": db}))
    else:
        print_study(study)
    return exit_code(study)


def list_studies(options: argparse.Namespace) -> int:
    from datetime import UTC, datetime

    from surefoot.work.export import moment

    places = [options.db] if options.db else sorted(str(path) for path in Path().glob("*.db") if has_studies(path))
    rows: list[dict[str, Any]] = []
    for db in places:
        storage = connected(db)
        try:
            entries = storage.studies()
        except SurefootError as error:
            if options.db:
                raise
            rows.append({"study": "", "db": db, "changed": "", "events": 0} | unreadable(str(error)))
            continue
        for entry in entries:
            changed = "" if entry.fault else moment(datetime.fromtimestamp(entry.changed, UTC))
            kept = {"study": entry.name, "db": db, "changed": changed, "events": entry.events}
            rows.append(kept | (unreadable(entry.fault) if entry.fault else standing(storage, entry.name)))
    if options.json:
        print(json.dumps({"studies": rows}))
    elif rows:
        width, place = (max(len(row[key]) for row in rows) for key in ("study", "db"))
        for row in rows:
            print(f"{row['study']:<{width}}  {row['db']:<{place}}  {row['changed'][:16]:<16}  {in_short(row)}")
    else:
        print(f"There are no studies in {options.db or 'the .db files of this folder'}.")
    return 0


def connected(db: str) -> "Storage":
    from surefoot.storage import connect

    return connect(db)


def standing(storage: "Storage", name: str) -> dict[str, Any]:
    """Limits, status, arm, pulls and sentence; a study that cannot be read does not hide the others."""
    from surefoot.study import Study

    try:
        study = Study.open(storage, name)
        decision = study.decision
    except SurefootError as error:
        return unreadable(str(error))
    limits = [str(limit) for limit in study.problem.limits]
    fields = {"status": decision.status, "arm": decision.arm, "pulls": decision.pulls, "sentence": decision.sentence}
    return {"limits": limits} | fields


def unreadable(why: str) -> dict[str, Any]:
    return {"limits": [], "status": "unreadable", "arm": None, "pulls": None, "sentence": why}


def in_short(entry: dict[str, Any]) -> str:
    if entry["status"] == "unreadable":
        return str(entry["sentence"])
    limits = "all limits" if len(entry["limits"]) > 1 else "the limit"
    said = {"best": f"{entry['arm']} is best", "infeasible": f"no arm keeps {limits}", "undecided": "undecided"}
    return f"{said[entry['status']]} after {entry['pulls']:,} pulls"


def has_studies(path: Path) -> bool:
    """Does a file hold studies? Files of other programs are only looked at."""
    from surefoot.storage.sqlite_connection import opened

    try:
        with closing(opened(path.absolute(), patience=1.0)) as connection:
            return bool(connection.execute("SELECT 1 FROM sqlite_master WHERE name LIKE 'surefoot_%'").fetchone())
    except sqlite3.Error:
        return False


def export(options: argparse.Namespace) -> int:
    from surefoot.study import Study
    from surefoot.work.export import chosen, write_parquet, write_text

    name, db = where(options.study, options.db)
    out, study = options.out, Study.open(db, name)
    format = "json" if options.json and not out and not options.format else chosen(options.format, out)
    if format == "parquet" and not out:
        raise InvalidValue("Parquet cannot be printed: give --out FILE")
    if options.json and not out and format != "json":
        raise InvalidValue("--json prints one JSON object, and not the results: give --out FILE for them")
    if not out:
        write_text(study, name, format, sys.stdout)
        return 0
    if format == "parquet":
        count = write_parquet(study, out)
    else:
        try:
            with open(out, "w", encoding="utf-8", newline="") as file:
                count = write_text(study, name, format, file)
        except OSError as error:
            raise InvalidValue(f"cannot write {out}: {error.strerror}") from error
    if options.json:
        print(json.dumps({"study": name, "format": format, "out": out, "rewards": count}))
    else:
        print(f"{count:,} results of {name} are in {out}.")
    return 0


def salvage(options: argparse.Namespace) -> int:
    from surefoot.study import Study

    name, db = where(options.study, options.db)
    fault = None
    try:
        Study.check(db, name)
    except (BadJournal, StorageFailed) as error:
        fault = str(error)
    study = Study.salvage(db, name, options.to)
    events = study.position
    if options.json:
        print(json.dumps({"study": name, "db": db, "events": events, "fault": fault, "to": options.to}))
        return DAMAGED if fault else 0
    print(f"{'The first' if fault else 'All'} {events:,} events of {name} are undamaged.")
    if fault:
        print(f"After them: {fault}.")
    if options.to:
        print(f"They are now in {options.to}. {study.decision}")
    elif fault:
        print(f"This command keeps the undamaged part as a study that you can continue:\n  {rescue(name, db)}")
    return DAMAGED if fault else 0


def rescue(name: str, db: str) -> str:
    """The command that rescues the undamaged part of a study."""
    return shell_command("salvage", [name], {"--db": db, "--to": "rescued.db"})


def rescue_after(options: argparse.Namespace) -> str:
    """That command, for the study that another command could not read; empty if it was about no single one."""
    if "study" in options:
        return rescue(*where(options.study, options.db))
    file = getattr(options, "file", None) or getattr(options, "problem", None)
    if not file or "db" not in options:
        return ""
    return rescue(options.name or Path(file).stem, options.db or str(Path(file).with_suffix(".db")))


def delete(options: argparse.Namespace) -> int:
    name, db = where(options.study, options.db)
    storage = connected(db)
    storage.journal(name)
    if not options.yes:
        if not sys.stdin.isatty():
            raise InvalidValue("delete asks before it deletes a study, and nobody can answer here: give --yes")
        pulls = standing(storage, name)["pulls"]
        print(
            f"Delete the study {name} in {db} with its {pulls or 0:,} results? This cannot be undone. [y/N] ",
            end="",
            file=sys.stderr,
            flush=True,
        )
        if input().strip().lower() not in ("y", "yes"):
            print("Nothing was deleted.", file=sys.stderr)
            return 130
    storage.delete(name)
    print(json.dumps({"deleted": name, "db": db}) if options.json else f"The study {name} is deleted.")
    return 0

"""Writes the sample of this version's journals: `python -m tests.storage.sample`. To be run once for each version."""

import json
import sqlite3
import time
from pathlib import Path

from surefoot import Study
from surefoot.storage import connect
from tests.study.helpers import drive


def write(path: Path) -> None:
    storage = connect(path)
    study = Study.open(storage, "sample", ["A", "B", 'it\'s "C"'], risk="variance <= 0.04", delta=0.1, lease=1)
    lost, *pulls = study.ask(7, worker="one", request="r-1")
    study.tell_all([(pull, 0.1 * pull.id) for pull in pulls[:3]])
    study.abandon(pulls[3])
    time.sleep(1.1)
    study.ask(4, worker="two")
    study.heartbeat(study.pending[0])
    study.tell(lost, 0.3)
    study.record("B", 1 / 3)
    study.tell(study.pending[0], 2 / 3)
    finished = drive(
        Study.open(storage, "finished", ["A", "B", "C"], risk="variance <= 0.04", delta=0.1, max_pulls=300)
    )
    table = [[row.name, row.pulls, row.mean] for row in study.table()]
    expected = {
        "events": study.events,
        "table": table,
        "pending": sorted(map(list, study.pending)),
        "decision": [finished.decision.status, finished.decision.arm],
    }
    path.with_suffix(".json").write_text(json.dumps(expected, indent=1) + "\n")
    storage.close()
    connection = sqlite3.connect(path)  # one file, without its log
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("VACUUM")
    connection.close()


if __name__ == "__main__":
    write(Path(__file__).parent / "samples" / "version1.db")

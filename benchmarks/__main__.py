"""Run every benchmark, or those named (`python -m benchmarks speed pulls`); or measure this version against another commit's
(`--base COMMIT`)."""

import argparse
import json
import platform
import sys
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import (
    base,
    demo,
    fairness,
    items,
    limits,
    lists,
    live,
    paper,
    parallel,
    pulls,
    risks,
    scale,
    service,
    speed,
    storage,
    streams,
    warnings,
)
from surefoot import __version__

BENCHMARKS = {
    "live": live.measure,
    "storage": storage.measure,
    "service": service.measure,
    "streams": streams.measure,
    "fairness": fairness.measure,
    "scale": scale.measure,
    "speed": speed.measure,
    "limits": limits.measure,
    "pulls": pulls.measure,
    "items": items.measure,
    "lists": lists.measure,
    "demo": demo.measure,
    "parallel": parallel.measure,
    "risks": risks.measure,
    "warnings": warnings.measure,
    "paper": paper.measure,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *BENCHMARKS], help="which (default: all)")
    parser.add_argument("--base", metavar="COMMIT", help="measure against the sources of this commit instead")
    options = parser.parse_args()
    report: dict[str, Any] = {
        "version": __version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
    if options.base:
        report["base"] = base.measure(options.base)
        BENCHMARKS["service"] = partial(service.measure, base.unpacked(options.base))
    for name in options.names or (["service"] if options.base else BENCHMARKS):
        rows = BENCHMARKS[name]()
        report[name] = rows
        print(f"\n{name}")
        for row in rows:
            aim = f"   aim {row['aim']}" if "aim" in row else ""
            print(f"  {row['what']:<86}{row['value']:>12,.4g}{aim}")
        sys.stdout.flush()
    out = Path(__file__).parent / "results" / "latest.json"
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps(report, indent=2) + "\n")
    print(f"\nwritten to {out.relative_to(Path.cwd()) if out.is_relative_to(Path.cwd()) else out}")


main()

"""`--picture FILE`: a study drawn into a file."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from surefoot.errors import InvalidValue

FORMATS = (".png", ".svg", ".pdf")


def add_option(command: argparse.ArgumentParser) -> None:
    command.add_argument("--picture", metavar="FILE", help="also draw a picture into this file (PNG, SVG or PDF)")


def check(path: str | None) -> None:
    """Can a picture be written there? Asked before the work, not after it."""
    if path and (Path(path).suffix.lower() not in FORMATS or not Path(path).absolute().parent.is_dir()):
        raise InvalidValue(f"--picture must be a PNG, SVG or PDF file in a folder that exists, got {path}")


def draw(study: Any, path: str, *, said: bool) -> None:
    """Draw the study into a file."""
    from surefoot.study.views.plot import plot

    save(lambda figure: plot(study, figure.subplots()), path, said=said)


def save(paint: Callable[[Any], Any], path: str, size: tuple[float, float] = (7.2, 4.6), *, said: bool) -> None:
    """Write what is painted into a figure to a file, and say so. The last thing to do: what it shows is printed by then."""
    try:
        import matplotlib
    except ImportError:
        print(
            "surefoot: no picture was drawn, because matplotlib is not installed: pip install 'surefoot[plot]'",
            file=sys.stderr,
        )
        return
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=size, layout="constrained")
    try:
        paint(figure)
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise InvalidValue(f"cannot write the picture {path}: {error}") from error
    finally:
        plt.close(figure)
    if said:
        print(f"The picture is in {path}.")

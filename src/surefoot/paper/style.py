"""How the pictures look: colours that are apart for every eye and in print, and files that are the same bit for bit."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY, BLACK, GREY = (
    *("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9"),
    *("#222222", "#8a8a8a"),
)


@contextmanager
def drawing() -> Iterator[None]:
    """The settings under which everything is drawn and saved."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # not what somebody's matplotlibrc says
        matplotlib.rcParams.update(
            {
                "svg.hashsalt": "surefoot",
                "axes.spines.top": False,
                "axes.spines.right": False,
                "axes.titlelocation": "left",
                "axes.titlesize": "medium",
                "axes.axisbelow": True,
                "legend.frameon": False,
                "font.size": 10.0,
            }
        )
        yield


def figure(width: float, height: float) -> "Figure":
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save(figure: "Figure", stem: Path) -> list[Path]:
    """As PNG and as SVG."""
    png, svg = stem.with_suffix(".png"), stem.with_suffix(".svg")
    figure.savefig(svg, metadata={"Date": None, "Creator": None})
    figure.set_layout_engine("none")  # it stays as it was laid out, which is most of the work
    figure.savefig(png, dpi=130, metadata={"Software": None})
    return [png, svg]


def grid(ax: "Axes", axis: str = "both") -> None:
    ax.grid(True, axis=axis, color="#dddddd", lw=0.6)  # type: ignore[arg-type]

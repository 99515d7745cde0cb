"""What is shown while work goes on: in a terminal, in a notebook, elsewhere."""

import io
import re
import sys

import pytest

from surefoot import Beta, Instance, display, simulate
from surefoot.display import Bars, Display


class Screen(io.StringIO):
    def isatty(self):
        return True


def shown(display, times=3):
    with display as opened:
        for number in range(times):
            opened(
                lambda width, number=number: f"picture {'abc'[number]}{'x' * (width == 80)}",
                lambda number=number: f"line {number}",
            )
            opened.due = 0.0


@pytest.mark.parametrize(("wanted", "expected"), [(None, ""), (False, ""), (True, "line 1\nline 2\n")])
def test_elsewhere_a_line_now_and_then_if_it_is_asked_for(wanted, expected, capsys):
    shown(Display(wanted))  # the first one is too soon
    assert capsys.readouterr().err == expected


def test_in_a_terminal_it_is_drawn_anew_and_goes_away(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys, "stderr", Screen())
    shown(Display())
    drawn = sys.stderr.getvalue()
    assert all(f"picture {letter}x" in drawn for letter in "abc")
    assert drawn.rstrip().endswith("\x1b[2K")  # the last line is erased
    monkeypatch.setattr(sys, "stderr", Screen())
    shown(Display(False))
    assert sys.stderr.getvalue() == ""


@pytest.mark.parametrize(("wanted", "said"), [(None, ""), (False, "noted\n"), (True, "noted\n")])
def test_what_stays_is_printed(wanted, said, capsys):
    with Display(wanted) as opened:
        opened.note("noted")
    assert capsys.readouterr().err == said


def test_bars():
    bars = Bars(time_left=True)
    bar = bars.add("runs", 10)
    bars.update(bar, done=4, total=20, words="7 pulls")
    surface = io.StringIO()
    from rich.console import Console

    Console(file=surface, width=80).print(bars.drawn(80))
    assert surface.getvalue().startswith("runs ")
    assert "4/20 7 pulls" in surface.getvalue()


def test_simulate_as_lines(capsys, monkeypatch):
    monkeypatch.setattr(display, "SELDOM", 0.0)
    instance = Instance({"A": Beta(mean=0.2, variance=0.01), "B": Beta(mean=0.8, variance=0.01)})
    simulate(instance, trials=2, engine="interpreted", progress=True)
    assert re.match(r"[012] of 2 runs, [\d,]+ pulls\n", capsys.readouterr().err)


CELL = """
from surefoot import Beta, Instance, find_best, simulate

study = find_best({"A": lambda: 0.2, "B": lambda: 0.7}, rewards=(0, 1))
sweep = simulate(Instance({"A": Beta(mean=0.2, variance=0.01), "B": Beta(mean=0.8, variance=0.01)}), trials=2, seed=1)
find_best({"A": lambda: 0.2, "B": lambda: 0.7}, rewards=(0, 1), progress=False);
"""


def test_in_a_notebook_the_output_is_replaced_and_in_the_end_empty(tmp_path, monkeypatch):
    pytest.importorskip("ipykernel")
    from jupyter_client.manager import start_new_kernel

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    manager, client = start_new_kernel(kernel_name="python3")
    messages = []
    try:
        reply = client.execute_interactive(CELL, output_hook=messages.append, timeout=120)
        assert reply["content"]["status"] == "ok"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    kinds = [message["msg_type"] for message in messages]
    assert kinds.count("display_data") == 2  # one output for each that shows something
    drawn = [message["content"]["data"] for message in messages if message["msg_type"] == "update_display_data"]
    assert re.match(r"1 pull, .* per second\n *arm +pulls +mean +its interval +verdict", drawn[0]["text/plain"])
    assert drawn[0]["text/html"].startswith("<pre")
    assert any(re.search(r"[012]/2 [\d,]+ pulls", data["text/plain"]) for data in drawn)
    assert drawn[-1] == {"text/plain": "", "text/html": ""}
    assert "stream" not in kinds

"""`surefoot run` and `simulate` in rounds."""

import json

from surefoot import Study
from surefoot.cli import main
from tests.cli.running import run_json

PROBLEM = 'design = "rounds"\nrewards = [0, 1]\ndelta = 0.2\n'


def test_commands_are_run_in_rounds_by_several_workers(tmp_path, capsys):
    rows = [f'[[arms]]\nname = "{name}"\ncommand = ["echo", "{value}"]\n' for name, value in (("a", 0.9), ("b", 0.2))]
    (tmp_path / "p.toml").write_text(PROBLEM + "".join(rows))
    code, found, _ = run_json(capsys, str(tmp_path / "p.toml"), "--workers", "2")
    assert (code, found["arm"]) == (0, "a")
    rounds = [row.item for row in Study.open(tmp_path / "p.db", "p").results()]
    assert rounds == sorted(rounds)
    assert rounds.count(0) == rounds.count(1) == 2
    assert main(["run", str(tmp_path / "p.toml")]) == 0  # decided, and opened again by the same command


def test_arms_are_simulated_in_seasons(tmp_path, capsys):
    rows = [f'[[arms]]\nname = "{name}"\nbernoulli = {mean}\n' for name, mean in (("a", 0.7), ("b", 0.3))]
    seasons = "[items]\ncorrelation = 0.9\nseason = 20\n"
    (tmp_path / "p.toml").write_text(PROBLEM + seasons + "".join(rows))
    assert main(["simulate", str(tmp_path / "p.toml"), "--trials", "5", "--engine", "interpreted", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["decisions"]["best"] == {"a": 5}

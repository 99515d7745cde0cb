"""Shared by the tests of `surefoot run`: problem files, and processes that run them."""

import json
import signal
import subprocess
import sys

from surefoot.cli import main

HEAD = 'risk = "variance <= 0.04"\nrewards = [0, 1]\n'


def arm(name, source):
    return f'[[arms]]\nname = "{name}"\n{source}\n'


def shell(script):
    return f'command = ["sh", "-c", {json.dumps(script)}]'


def write(folder, *arms, head=HEAD, name="p.toml"):
    path = folder / name
    path.write_text(head + "".join(arm(*each) for each in arms))
    return str(path)


def interrupt(process):
    """Ctrl-C, and wait until it is noticed: lines on how things stand may come before."""
    process.send_signal(signal.SIGINT)
    assert any("the running pulls will finish" in line for line in process.stderr)


def start(*arguments, **options):
    command = [sys.executable, "-m", "surefoot", "run", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


BETAS = (("good", "beta = { mean = 0.8, variance = 0.01 }"), ("poor", "beta = { mean = 0.2, variance = 0.01 }"))


def run_json(capsys, *arguments):
    code = main(["run", *arguments, "--json"])
    captured = capsys.readouterr()
    return code, json.loads(captured.out), captured.err

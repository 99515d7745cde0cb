"""`python -m tests.fuzz TARGET SECONDS`: atheris on one target, guided by what of Surefoot the input reaches."""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["surefoot"]):
    from tests.fuzz.seeds import SEEDS, TOKENS
    from tests.fuzz.targets import TARGETS


def main() -> None:
    name, seconds = sys.argv[1:]
    found = Path("build/fuzz") / name  # what made a target fail, and the corpus, stay here
    (found / "corpus").mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS[name]):
        (found / "corpus" / f"seed{number}").write_bytes(seed)
    with tempfile.NamedTemporaryFile("w", suffix=".dict") as words:
        words.writelines(f'"{escaped(token[:60])}"\n' for token in TOKENS)
        words.flush()
        options = [f"-dict={words.name}", f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048"]
        options += ["-max_len=8192", f"-artifact_prefix={found}/", "-print_final_stats=1", "-verbosity=0"]
        atheris.Setup([sys.argv[0], *options, str(found / "corpus")], TARGETS[name])
        atheris.Fuzz()


def escaped(token: bytes) -> str:
    return "".join(rf"\x{byte:02x}" for byte in token)


if __name__ == "__main__":
    main()

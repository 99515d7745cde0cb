"""Run the examples, or those named, and record what they print and their pictures: `python examples [NAME ...]`."""

import sys
from importlib import import_module
from pathlib import Path

from matplotlib.figure import Figure

HERE = Path(__file__).parent
PICTURES = HERE.parent / "docs" / "images" / "examples"
EXAMPLES = sorted(path.stem for path in HERE.glob("[!_]*.py"))

if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or EXAMPLES:
        example = import_module(name)
        study = example.main()
        output = f"{study.table()}\n\n{study.decision}\n"
        (HERE / f"{name}.txt").write_text(output)
        figure = Figure(figsize=(7.2, 4.6), layout="constrained")
        study.plot(figure.add_subplot(), **getattr(example, "PICTURE", {}))
        figure.savefig(PICTURES / f"{name}.png", dpi=130, metadata={"Software": None})
        print(f"{name}\n\n{output}", flush=True)

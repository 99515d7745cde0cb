"""Which prompt answers best on these 400 questions, if an answer may cost 0.4 cents on average?

The scores are *synthetic*: drawn once, from a seed, so that some questions are hard for every prompt and longer prompts cost
more. Real ones would come from an evaluation. A pull looks one score and its cost up in the table. What an evaluation would
have cost is what Surefoot saves.
"""

import numpy as np

from surefoot import Study

QUESTIONS = 400
PROMPTS = {"plain": (0.55, 0.2), "examples": (0.70, 0.35), "steps": (0.74, 0.38), "steps twice": (0.80, 0.60)}


def evaluations() -> dict[str, list[dict[str, float]]]:
    """Of each prompt, its score and its cost on each question."""
    generator = np.random.default_rng(7)
    hardness = generator.random(QUESTIONS)
    found = {}
    for name, (skill, price) in PROMPTS.items():
        solved = 0.8 * hardness + 0.2 * generator.random(QUESTIONS) < skill
        costs = np.minimum(price * generator.gamma(8.0, 1.0 / 8.0, QUESTIONS), 2.0)
        found[name] = [{"score": float(one), "cost": float(cost)} for one, cost in zip(solved, costs, strict=True)]
    return found


def main() -> Study:
    table = evaluations()
    study = Study(
        list(PROMPTS),
        goal="max mean(score)",
        metrics={"score": "binary", "cost": (0, 2)},
        limits=["mean(cost) <= 0.4"],
        design="items",
        items=QUESTIONS,
        finite=True,
    )
    while not study.decided:
        for pull in study.ask():
            study.tell(pull, table[pull.arm][pull.item])
    return study


if __name__ == "__main__":
    study = main()
    print(f"{study.table()}\n\n{study.decision}")

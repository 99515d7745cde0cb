"""How arms are pulled before the first choice. Each function writes the pulls of step t and says how many they are."""


def arm_by_arm(asked: list[int], arms: int, t: int, pulls: int) -> int:
    """Step t <= N pulls arm t so many times, [HTZ] Algorithm 1, line 2."""
    if t > arms:
        return 0
    for pull in range(pulls):
        asked[pull] = t - 1
    return pulls


def all_at_once(asked: list[int], arms: int, t: int, steps: int) -> int:
    """Each of so many steps pulls every arm once, [HTZ] Algorithm 3, line 2."""
    if t > steps:
        return 0
    for arm in range(arms):
        asked[arm] = arm
    return arms

"""[HTZ] Remarks 1 and 2 (LIL radii, Successive Elimination, lil'UCB), transcribed naively, with the decisions of the docs:

lil'UCB samples by the mean plus two radii, and both stop when one feasible arm is left that surpasses all others;
Successive Elimination finds its active arms anew at each step.
"""

import math

import numpy as np

OPEN, FEASIBLE, INFEASIBLE = "open", "feasible", "infeasible"


class Lil:
    """Remark 1: radii that know no clock. The best bounds seen are kept, and the first verdict stays."""

    warm_up = 1

    def __init__(self, N, threshold, delta):
        self.N, self.threshold, self.delta = N, threshold, delta
        self.L, self.U, self.verdict = [-math.inf] * N, [math.inf] * N, [OPEN] * N

    def alpha(self, T, epsilon=0.9):
        logarithm = math.log(4 * self.N * math.log((1 + epsilon) * T) / self.delta)
        return (1 + math.sqrt(epsilon)) * math.sqrt((1 + epsilon) / (2 * T) * logarithm)

    def sampled(self, i, T, mean, squares):
        alpha = self.alpha(T)
        self.L[i], self.U[i] = max(self.L[i], mean - alpha), min(self.U[i], mean + alpha)
        if self.verdict[i] == OPEN:
            self.verdict[i] = judged(squares / T, 3 * alpha, self.threshold)

    def begin_step(self, t, T, mean, squares):
        pass


class Clocked:
    """(7) to (9): radii that grow with the step t; bounds of arms found infeasible stay."""

    warm_up = 2

    def __init__(self, N, threshold, delta):
        self.N, self.threshold, self.delta = N, threshold, delta
        self.L, self.U, self.verdict = [-math.inf] * N, [math.inf] * N, [OPEN] * N

    def sampled(self, i, T, mean, squares):
        pass

    def begin_step(self, t, T, mean, squares):
        for i in range(self.N):
            if self.verdict[i] != INFEASIBLE:
                alpha = math.sqrt(1 / (2 * T[i]) * math.log(2 * self.N * t**4 / self.delta))
                self.L[i], self.U[i] = mean[i] - alpha, mean[i] + alpha
                self.verdict[i] = judged(squares[i] / (T[i] - 1), alpha, self.threshold)


def judged(variance, beta, threshold):
    return INFEASIBLE if variance - beta > threshold else FEASIBLE if variance + beta <= threshold else OPEN


def elimination(bounds, mean):
    """Every arm that is neither infeasible nor surpassed by the best arm known feasible."""
    F = [i for i in range(bounds.N) if bounds.verdict[i] == FEASIBLE]
    left = [i for i in range(bounds.N) if bounds.verdict[i] != INFEASIBLE]
    if not F:
        return left
    star = max(F, key=lambda i: bounds.L[i])
    return [i for i in left if i == star or not bounds.L[star] > min(bounds.U[i], 1)]


def lil_ucb(bounds, mean):
    left = [i for i in range(bounds.N) if bounds.verdict[i] != INFEASIBLE]
    return [max(left, key=lambda i: mean[i] + 2 * (bounds.U[i] - mean[i]))]


def va_lucb(bounds, mean):
    """Algorithm 1, lines 13 to 19, under whatever bounds."""
    left = [i for i in range(bounds.N) if bounds.verdict[i] != INFEASIBLE]
    leader = max(left, key=lambda i: mean[i])
    rest = [i for i in left if i != leader]
    challenger = max(rest, key=lambda i: bounds.U[i], default=None)
    both = challenger is not None and bounds.U[challenger] >= bounds.L[leader]
    return [leader, challenger] if both else [leader]


def trajectory(choose, bounds, reward, max_pulls):
    """(pulled arms in order, flag, arm)."""
    N, pulled = bounds.N, []
    rewards = [[] for _ in range(N)]
    T, mean, squares = [0] * N, [0.0] * N, [0.0] * N

    def sample(i):
        rewards[i].append(reward(i, T[i]))
        pulled.append(i)
        T[i] += 1
        mean[i] = np.mean(rewards[i])
        squares[i] = np.sum((np.array(rewards[i]) - mean[i]) ** 2)
        bounds.sampled(i, T[i], mean[i], squares[i])

    for i in range(N):
        for _ in range(bounds.warm_up):
            sample(i)
    t = N
    while len(pulled) < max_pulls:
        t += 1
        bounds.begin_step(t, T, mean, squares)
        left = [i for i in range(N) if bounds.verdict[i] != INFEASIBLE]
        if not left:
            return pulled, 0, -1
        for i in left:
            if bounds.verdict[i] == FEASIBLE:
                if all(bounds.L[i] > min(bounds.U[j], 1) for j in left if j != i):
                    return pulled, 1, i
        for i in choose(bounds, mean):
            sample(i)
    return pulled, None, -1

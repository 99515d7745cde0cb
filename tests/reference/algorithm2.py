"""[HTZ] Algorithm 2, RiskAverse-UCB-BAI, transcribed word by word, with the corrected line 12 of the reading notes."""

import numpy as np


def risk_averse_ucb(N, threshold, delta, eps_mu, eps_v, reward, max_pulls=100_000):
    """(pulled arms in order, flag, arm)."""
    X = [[] for _ in range(N)]
    pulled = []

    def sample(i):
        X[i].append(reward(i, len(X[i])))
        pulled.append(i)

    for i in range(N):  # lines 2 to 4
        sample(i)
        sample(i)
    accuracies = 1 / (2 * eps_mu**2) + 4 / eps_v**2
    H = 3 * N * accuracies * np.log(6 * N / delta * N * accuracies)  # line 5
    t = 2 * N

    def f_mu(T):
        return np.sqrt(1 / (2 * T) * np.log(6 * H * N / delta))

    def f_v(T):
        return np.sqrt(2 / T * np.log(6 * H * N / delta))

    out = set()
    while len(pulled) < max_pulls:
        var = [np.var(x, ddof=1) for x in X]
        out |= {i for i in range(N) if var[i] - f_v(len(X[i])) > threshold}
        F_bar = [i for i in range(N) if i not in out]  # line 7
        if not F_bar:
            return pulled, 0, -1
        i_dag = max(F_bar, key=lambda i: np.mean(X[i]) + f_mu(len(X[i])))  # line 8
        sample(i_dag)  # line 9
        t += 1
        T = len(X[i_dag])
        certain = f_mu(T) <= eps_mu / 2 and np.var(X[i_dag], ddof=1) + f_v(T) - eps_v <= threshold
        if certain or t >= H:  # line 12
            return pulled, 1, i_dag
    return pulled, None, -1

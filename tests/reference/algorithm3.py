"""[HTZ] Algorithm 3, VA-LUCB for sigma-sub-Gaussian rewards, transcribed word by word, M_t as in the reading notes."""

import numpy as np

K, C = 2, 64


def va_lucb_subgaussian(N, threshold, sigma, delta, reward, max_pulls):
    """(pulled arms in order, flag, arm)."""
    X = [[] for _ in range(N)]
    pulled = []

    def sample(i):
        X[i].append(reward(i, len(X[i])))
        pulled.append(i)

    def log_term(t):
        return np.log(K * N * float(t) ** 4 / delta)

    def alpha(t, T):
        return np.sqrt(2 * sigma**2 / T * log_term(t))

    def beta(t, T):
        return np.sqrt(2 * C * sigma**4 / T * log_term(t))

    T_0 = next(t for t in range(1, 10**6) if t >= 128 / C * log_term(t))
    for _ in range(T_0):  # line 2
        for i in range(N):
            sample(i)
    F_bar, t = list(range(N)), T_0
    while len(pulled) < max_pulls:
        t += 1  # line 3
        mu = [np.mean(x) for x in X]
        var = [np.var(x, ddof=1) for x in X]
        n = [len(x) for x in X]
        F_bar = [i for i in F_bar if var[i] - beta(t, n[i]) <= threshold]  # line 6
        F = [i for i in F_bar if var[i] + beta(t, n[i]) <= threshold]
        P = set(range(N))
        if F:  # lines 7 and 8
            star = max(F, key=lambda i: mu[i])
            P = {i for i in range(N) if mu[star] - alpha(t, n[star]) <= mu[i] + alpha(t, n[i]) and i != star}
        if not set(F_bar) & P:  # lines 9 to 16
            return (pulled, 1, star) if F else (pulled, 0, -1)
        i_t = max(F_bar, key=lambda i: mu[i])
        step = [i_t]
        if len(F_bar) > 1:  # lines 19 to 25
            c_t = max((i for i in F_bar if i != i_t), key=lambda i: mu[i] + alpha(t, n[i]))
            if mu[c_t] + alpha(t, n[c_t]) >= mu[i_t] - alpha(t, n[i_t]):
                step.append(c_t)
        forced = [i for i in F_bar if beta(t + 1, n[i]) > C * sigma**2 / 8 and i not in step]  # line 27
        for i in step + forced:
            sample(i)
    return pulled, None, -1

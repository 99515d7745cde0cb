"""[HTZ] Algorithm 1 and VA-Uniform, transcribed word by word: slow, obvious, and sharing nothing with `src`."""

import numpy as np


def alpha(t, T, N, delta):
    return np.sqrt(1 / (2 * T) * np.log(2 * N * float(t) ** 4 / delta))


beta = alpha


def va_lucb(N, threshold, delta, reward, slack=0.0, uniform=None, max_pulls=100_000):
    """(pulled arms in order, flag, arm). `reward(i, n)` is arm i's n-th reward; `uniform` draws VA-Uniform's arms."""
    X = [[] for _ in range(N)]
    pulled = []

    def sample(i):
        X[i].append(reward(i, len(X[i])))
        pulled.append(i)

    for i in range(N):  # line 2
        sample(i)
        sample(i)
    F_bar = list(range(N))
    mu, var, L, U, Lv, Uv = (np.zeros(N) for _ in range(6))
    t = N
    while len(pulled) < max_pulls:
        t += 1  # line 3
        for i in F_bar:  # lines 4 and 5
            T = len(X[i])
            mu[i] = np.mean(X[i])
            var[i] = np.sum((np.array(X[i]) - mu[i]) ** 2) / (T - 1)
            L[i], U[i] = mu[i] - alpha(t, T, N, delta), mu[i] + alpha(t, T, N, delta)
            Lv[i], Uv[i] = var[i] - beta(t, T, N, delta), var[i] + beta(t, T, N, delta)
        F_bar = [i for i in F_bar if Lv[i] <= threshold]  # line 6
        F = [i for i in F_bar if Uv[i] <= threshold + slack]
        if F:  # lines 7 and 8
            i_star = max(F, key=lambda i: mu[i])
            P = [i for i in range(N) if L[i_star] <= U[i] and i != i_star]
        else:
            P = list(range(N))
        if not set(F_bar) & set(P):  # lines 9 to 12
            return (pulled, 1, i_star) if F else (pulled, 0, -1)
        if uniform is not None:
            for i in uniform(N):
                sample(i)
            continue
        i_t = max(F_bar, key=lambda i: mu[i])
        if len(F_bar) == 1:  # lines 13 and 14
            sample(i_t)
            continue
        c_t = max([i for i in F_bar if i != i_t], key=lambda i: U[i])  # line 16
        if U[c_t] >= L[i_t]:  # line 17
            sample(i_t)
            sample(c_t)
        else:
            sample(i_t)
    return pulled, None, -1

"""Arms chosen against bounds, by the kind of rewards: rare events, edges, two humps, tiny variances, limits of floats."""

from surefoot.problem.distributions import Bernoulli, Beta, Discrete, Distribution, Normal, Uniform

ADVERSARIES: dict[str, dict[str, Distribution]] = {
    "bounded": {
        "fair coin": Bernoulli(0.5),
        "lopsided coin": Bernoulli(0.15),  # its sample variance varies most
        "rare event": Bernoulli(0.01),
        "rare failure": Bernoulli(0.999),
        "rare jackpot of a steady arm": Discrete((0.3, 1.0), (0.999, 0.001)),
        "rare disaster of a steady arm": Discrete((0.7, 0.0), (0.999, 0.001)),
        "two points": Discrete((0.2, 0.25), (0.9, 0.1)),
        "always 0": Discrete((0.0,)),
        "always 1": Discrete((1.0,)),
        "two humps": Discrete((0.1, 0.12, 0.88, 0.9)),
        "U-shaped": Beta(a=0.1, b=0.1),
        "uniform": Uniform(0.0, 1.0),
        "tiny variance": Beta(mean=0.3, variance=1e-8),
        "0 or 1e-300": Discrete((0.0, 1e-300)),
        "1 - 2^-53 or 1": Discrete((1.0 - 2.0**-53, 1.0)),
        "1e-300 or 1 - 2^-53": Discrete((1e-300, 1.0 - 2.0**-53), (0.9, 0.1)),
    },
    "subgaussian": {
        "normal": Normal(mean=3.0, variance=1.0),
        "two points": Discrete((-1.0, 1.0)),
        "lopsided": Discrete((-0.2, 1.8), (0.9, 0.1)),  # within 2 of each other: 1-sub-Gaussian
        "rare event": Discrete((0.0, 2.0), (0.99, 0.01)),
        "uniform": Uniform(-1.7, 1.7),
        "always 0": Discrete((0.0,)),
        "tiny variance": Normal(mean=-2.0, variance=1e-8),
        "0 or 1e-300": Discrete((0.0, 1e-300)),
        "far from 0": Normal(mean=1e6, variance=0.9),
    },
    "gaussian": {
        "normal": Normal(mean=3.0, variance=0.9),
        "far from 0": Normal(mean=-1e6, variance=1e-3),
        "tiny variance": Normal(mean=0.0, variance=1e-12),
        "huge variance": Normal(mean=0.0, variance=1e12),
    },
}

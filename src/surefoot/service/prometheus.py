"""What the service has done since it started, as Prometheus reads it: counters, gauges and one histogram.

Written by hand: the text is a line per number, and the library that writes it for others would be a dependency more.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")


class Metrics:
    """Changed by the thread of the event loop alone."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str, int]] = Counter()  # by method, route and status
        self.durations: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))  # by route
        self.seconds: dict[str, float] = defaultdict(float)
        self.pulls = 0  # handed out
        self.results = 0  # taken
        self.calls = 0  # asks, tells and exchanges
        self.commits = 0  # that they shared

    def note(self, method: str, route: str | None, status: int, seconds: float) -> None:
        """A request that was answered. What clients make up is not kept: there would be no end of it."""
        method, route = method if method in METHODS else "other", route or "none"
        self.requests[method, route, status] += 1
        self.durations[route][bisect_left(BUCKETS, seconds)] += 1
        self.seconds[route] += seconds

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        return "\n".join([*self.lines(gauges), ""])

    def lines(self, gauges: Mapping[str, tuple[str, float]]) -> Iterator[str]:
        yield from head("requests_total", "counter", "Requests that were answered.")
        for (method, route, status), count in sorted(self.requests.items()):
            yield f'surefoot_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}'
        yield from head("request_seconds", "histogram", "Seconds from a request to the end of its answer.")
        for route, counts in sorted(self.durations.items()):
            total = 0
            for bound, count in zip((*map(str, BUCKETS), "+Inf"), counts, strict=True):
                total += count
                yield f'surefoot_request_seconds_bucket{{route="{route}",le="{bound}"}} {total}'
            yield f'surefoot_request_seconds_sum{{route="{route}"}} {self.seconds[route]:.6f}'
            yield f'surefoot_request_seconds_count{{route="{route}"}} {total}'
        counters = {
            "pulls_total": ("Pulls handed out by asks and exchanges.", self.pulls),
            "results_total": ("Results taken by tells and exchanges.", self.results),
            "calls_total": ("Asks, tells and exchanges.", self.calls),
            "commits_total": ("Commits that asks, tells and exchanges shared.", self.commits),
        }
        for kind, numbers in (("counter", counters), ("gauge", gauges)):
            for name, (what, value) in numbers.items():
                yield from head(name, kind, what)
                yield f"surefoot_{name} {value}"


def head(name: str, kind: str, what: str) -> Iterator[str]:
    yield f"# HELP surefoot_{name} {what}"
    yield f"# TYPE surefoot_{name} {kind}"

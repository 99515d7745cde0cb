"""What operators watch: metrics for Prometheus, and a request id in answers and logs."""

import json
import logging
import time

import httpx
import pytest

from surefoot.service.prometheus import BUCKETS, Metrics
from surefoot.service.server_log import Lines
from surefoot.storage import tokens
from tests.service.serving import served

ONE = "/api/studies/colours"


def numbers(text):
    """Each line of the metrics: its name with its labels, and its number."""
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in text.splitlines() if line[0] != "#"}


def test_everything_is_counted(http):
    http.post("/api/studies", json={"name": "colours", "arms": ["red", "blue"]})
    http.post(f"{ONE}/ask", json={"count": 3})
    http.post(f"{ONE}/tell", json={"results": [{"pull": 1, "reward": 0.5}, {"pull": 2, "reward": 0.5}]})
    http.post(f"{ONE}/tell", json={"results": [{"pull": 1, "reward": 0.75}]})
    http.post(f"{ONE}/exchange", json={"results": [{"pull": 3, "reward": 0.5}], "count": 4})
    http.get("/api/elsewhere")
    http.request("PROPFIND", "/api/elsewhere")
    answer = http.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = numbers(answer.text)
    tell = "/api/studies/{identity}/tell"
    assert found[f'surefoot_requests_total{{method="POST",route="{tell}",status="200"}}'] == 1
    assert found[f'surefoot_requests_total{{method="POST",route="{tell}",status="409"}}'] == 1
    assert found['surefoot_requests_total{method="POST",route="/api/studies",status="201"}'] == 1
    assert found['surefoot_requests_total{method="GET",route="none",status="404"}'] == 1
    assert found['surefoot_requests_total{method="other",route="none",status="404"}'] == 1
    assert found[f'surefoot_request_seconds_bucket{{route="{tell}",le="+Inf"}}'] == 2
    assert found[f'surefoot_request_seconds_count{{route="{tell}"}}'] == 2
    assert found[f'surefoot_request_seconds_sum{{route="{tell}"}}'] > 0
    expected = {"pulls_total": 7, "results_total": 3, "calls_total": 4, "commits_total": 4}
    expected |= {"studies": 1, "studies_in_memory": 1, "studies_compiled": 0, "pulls_in_flight": 4, "streams": 0}
    assert {name: found[f"surefoot_{name}"] for name in expected} == expected


def test_streams_are_counted(http):
    http.post("/api/studies", json={"name": "colours", "arms": ["red", "blue"]})
    with http.stream("GET", f"{ONE}/events") as response:
        lines = response.iter_lines()
        while "created" not in next(lines):
            pass
        assert numbers(http.get("/metrics").text)["surefoot_streams"] == 1


def test_every_line_has_its_kind_and_buckets_add_up():
    metrics = Metrics()
    for seconds in (0.0005, 0.001, 0.3, 100.0):
        metrics.note("GET", "/", 200, seconds)
    text = metrics.text({"studies": ("Studies.", 2)})
    named = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    for name in numbers(text):
        assert name.partition("{")[0].removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") in named
    counts = [
        numbers(text)[f'surefoot_request_seconds_bucket{{route="/",le="{bound}"}}'] for bound in (*BUCKETS, "+Inf")
    ]
    assert counts == [2] * 8 + [3] * 5 + [4]
    assert text.endswith("surefoot_studies 2\n")


def test_they_are_behind_the_token(storage):
    token = tokens.create(storage, "prometheus", "read")
    with served(storage) as url:
        answer = httpx.get(f"{url}/metrics")
        assert (answer.status_code, list(answer.json())) == (401, ["detail"])
        assert httpx.get(f"{url}/metrics", headers={"Authorization": f"Bearer {token}"}).status_code == 200
        assert httpx.get(f"{url}/health").status_code == 200  # a load balancer has no token


@pytest.mark.parametrize("given", ["7f3a-9.b_C", "", "two words", "x" * 65, 'a"b'])
def test_an_answer_has_the_id_that_the_log_has(http, caplog, given):
    caplog.set_level(logging.INFO)
    lines, handler = [], logging.Handler()
    handler.emit = lambda record: lines.append(json.loads(Lines().format(record)))
    logging.getLogger("surefoot.service").addHandler(handler)
    try:
        answers = [
            http.post(f"{ONE}/ask", headers={"X-Request-ID": given}),
            http.get("/", headers={"X-Request-ID": given}),
        ]
        deadline = time.monotonic() + 30
        while len(lines) < 2 and time.monotonic() < deadline:  # a line is written after its answer
            time.sleep(0.01)
    finally:
        logging.getLogger("surefoot.service").removeHandler(handler)
    found = [answer.headers["x-request-id"] for answer in answers]
    assert found == [line["request"] for line in lines if line["message"] == "request"]
    if given == "7f3a-9.b_C":
        assert found == [given, given]
    else:
        assert len(set(found) - {given}) == 2
        assert all(len(each) == 16 for each in found)

"""A lab on a new machine: what is told while the steppers are compiled, and what is answered meanwhile."""

import http.client
import json
import threading

import pytest

from dalembert.gallery import text
from dalembert.lab.tasks import warm
from lab_server import running


@pytest.fixture(autouse=True, scope="module")
def _really_compiled():
    """What these labs pretend to lack is there, so that nothing is waited for that is not meant."""
    warm(lambda seconds: None, lambda: None)


def test_motions_are_told_of_the_steppers_and_equations_do_not_wait(tmp_path):
    compiled = tmp_path / "compiled"
    model = {"text": text("simple-pendulum"), "until": 0.1}
    with running("--seconds", "30", compiled=compiled) as lab:
        waiting = http.client.HTTPConnection("127.0.0.1", lab.port, timeout=60)
        headers = {"x-lab-token": lab.token, "content-type": "application/json"}
        waiting.request("POST", "/api/motion", json.dumps(model).encode(), headers)
        answer = waiting.getresponse()  # which begins before there is anything to show
        assert "job" in json.loads(answer.readline())
        assert json.loads(answer.readline())["compiling"] >= 0
        for task in ("check", "derive", "steps"):
            assert lab.result(task, {"text": model["text"]})
        compiled.touch()
        lines = [json.loads(line) for line in answer]
        waiting.close()
        assert lines[0] == {"progress": 0.0} and lines[-1]["result"]["status"] == "finished"
        assert lab.result("motion", model)["status"] == "finished"  # and later ones are told nothing


def test_smooth_motions_do_not_wait_for_the_other_steppers(tmp_path):
    compiled = tmp_path / "compiled"
    smooth = {"text": text("simple-pendulum"), "until": 0.1}
    other = {"text": smooth["text"] + "\n# contacts\n", "until": 0.1}
    answers = []
    with running(compiled=compiled) as lab:
        compiled.with_suffix(".some").touch()
        assert lab.result("motion", smooth)["status"] == "finished"
        waiting = threading.Thread(target=lambda: answers.append(lab.ask("/api/motion", json.dumps(other).encode())[1]))
        waiting.start()
        waiting.join(1.5)
        assert waiting.is_alive()  # it was tried, and came back
        assert lab.result("motion", smooth)["status"] == "finished"
        compiled.touch()
        waiting.join(60)
    told = [json.loads(line) for line in answers[0].splitlines()]
    assert any("compiling" in line for line in told) and told[-1]["result"]["status"] == "finished"

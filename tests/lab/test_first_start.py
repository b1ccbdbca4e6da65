"""A lab on a new machine: what is told while the steppers are compiled, and what is answered meanwhile."""

import http.client
import json

from dalembert.gallery import text
from lab_server import running


def test_motions_are_told_of_the_steppers_and_equations_do_not_wait(tmp_path):
    compiled = tmp_path / "compiled"
    model = {"text": text("simple-pendulum"), "until": 0.1}
    with running("--seconds", "3", compiled=compiled) as lab:
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

"""A lab as a user starts it, in a process of its own, for tests that ask it over its socket."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Lab:
    """A running lab: its port, its process, and the token in its address."""

    port: int
    process: subprocess.Popen
    token: str
    folder: Path | None = None

    @property
    def address(self) -> str:
        """As the command prints it."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    @property
    def visitor(self) -> dict[str, str]:
        """The headers of a browser that has been let in."""
        return {"cookie": f"dalembert-lab-{self.port}={self.token}"}

    def ask(
        self, path: str, body: bytes | None = None, method: str | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes, Mapping[str, str]]:
        """One plain request: status, body and headers of the answer. `headers` None: those of our page."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        own = {"x-lab-token": self.token, "content-type": "application/json"}
        try:
            connection.request(
                method or ("GET" if body is None else "POST"), path, body, dict(own if headers is None else headers)
            )
            answer = connection.getresponse()
            return answer.status, answer.read(), {k.lower(): v for k, v in answer.getheaders()}
        finally:
            connection.close()

    def post(self, path: str, data: Any) -> tuple[int, Any]:
        """JSON, and JSON back: the last line of what was streamed."""
        status, body, _ = self.ask(path, json.dumps(data).encode())
        return status, json.loads(body.splitlines()[-1])

    def result(self, task: str, data: Any) -> Any:
        status, answer = self.post(f"/api/{task}", data)
        assert status == 200 and "result" in answer, answer
        return answer["result"]


@contextmanager
def running(*options: str) -> Iterator[Lab]:
    """`dalembert lab` with these options, at a free port, until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dalembert", "lab", "--no-browser", "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        said = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=([A-Za-z0-9_-]+) ", process.stdout.readline())
        assert said is not None
        lab = Lab(int(said[1]), process, said[2])
        lab.ask("/", headers={})  # from here on it serves
        yield lab
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            raise

"""A real lab in a process of its own, for tests."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import httpx
from websockets.sync.client import connect

PATIENCE = 400.0
"""Seconds for the first start: the search processes may have to compile."""


class Lab:
    """A lab that can be killed and started again on the same port and folder."""

    def __init__(self, folder, *options, port=0, **process_options):
        self.folder, self._options, self._process_options = folder, options, process_options
        self.port = port
        self.process = None

    def start(self):
        command = [
            sys.executable,
            "-m",
            "inarow",
            "serve",
            "--port",
            str(self.port),
            "--runs",
            str(self.folder / "runs"),
        ]
        command += ["--store", str(self.folder / "lab.sqlite"), *self._options]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "COLUMNS": "200"},
            **self._process_options,
        )
        self.announcement = self.process.stdout.readline()
        self.port = int(re.search(r":(\d+)/", self.announcement)[1])
        return self

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def socket_address(self):
        return f"ws://127.0.0.1:{self.port}/api/socket"

    def wait_until_ready(self, processes=1):
        deadline = time.monotonic() + PATIENCE
        while httpx.get(f"{self.address}/api/health").json()["ready"] < processes:
            assert time.monotonic() < deadline, "the lab does not get ready"
            time.sleep(0.2)
        return self

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()

    # --- Talking to it ---

    def call(self, path, body=None, method=None, expect=200):
        method = method or ("GET" if body is None else "POST")
        response = httpx.request(method, f"{self.address}{path}", json=body, timeout=60)
        assert response.status_code == expect, response.text
        return response.json()

    def wait_for_job(self, job_id, *statuses):
        deadline = time.monotonic() + 120
        while (job := self.call(f"/api/jobs/{job_id}"))["status"] not in statuses:
            assert time.monotonic() < deadline, job
            time.sleep(0.1)
        return job


@contextmanager
def lab(folder, *options, port=0, **process_options):
    """A lab for the length of a block."""
    served = Lab(folder, *options, port=port, **process_options).start()
    try:
        yield served
    finally:
        if not served.process.stdout.closed:
            served.stop()


@contextmanager
def talking(address, **options):
    """A function that sends a message (or text or bytes) and returns the last reply to it."""
    with connect(address, **options) as socket:

        def ask(message):
            socket.send(message if isinstance(message, str | bytes) else json.dumps(message))
            while (reply := json.loads(socket.recv(45)))["type"] == "progress":
                ask.progress.append(reply)
            return reply

        ask.progress = []
        ask.socket = socket
        yield ask

"""A real host for published clients: the built binary on a free port with its own data folder."""

import json
import os
import pathlib
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from openwop_client import OpenwopClient

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEFT = os.environ.get("WEFT_BIN", str(ROOT / "target" / "debug" / "weft"))


class Host:
    """One running `weft serve`."""

    def __init__(self, data: pathlib.Path):
        self.data = data
        self.process = subprocess.Popen(
            [WEFT, "serve", "--data", str(data), "--listen", "127.0.0.1:0", "--samples", "--fixtures",
             "--allow-egress", "127.0.0.0/8"],
            stdout=subprocess.PIPE, stderr=(data / "stderr.log").open("w"), text=True,
        )
        line = self.process.stdout.readline()
        assert line, (data / "stderr.log").read_text()
        self.url = json.loads(line)["url"]

    def key(self, tenant: str, *extra: str) -> str:
        made = subprocess.run(
            [WEFT, "keys", "create", "--tenant", tenant, "--data", str(self.data), *extra],
            check=True, capture_output=True, text=True,
        )
        return made.stdout.strip()

    def client(self, tenant: str = "acme", *extra: str) -> OpenwopClient:
        return OpenwopClient(base_url=self.url, api_key=self.key(tenant, *extra))

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(timeout=20)


@pytest.fixture(scope="session")
def host(tmp_path_factory):
    running = Host(tmp_path_factory.mktemp("data"))
    yield running
    assert running.stop() == 0, "a host that is asked to stop drains and exits with 0"


@pytest.fixture(scope="session")
def client(host):
    return host.client()


@pytest.fixture()
def policy_url():
    """A small HTTP server for the look-up of the expense sample."""

    class Policy(BaseHTTPRequestHandler):
        def do_GET(self):
            body = json.dumps({"limit": 500, "currency": "EUR"}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Policy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/policy"
    server.shutdown()
    server.server_close()

"""Stands between a client and the server, remembers every reply as it was sent, and does to requests what it is told to."""

import http.client
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "host"}


class Reply:
    def __init__(self, response):
        self.status, self.content = response.status, response.read()
        self.headers = [pair for pair in response.getheaders() if pair[0].lower() not in HOP_BY_HOP]
        self.type = response.getheader("content-type", "")
        self.is_chunked = response.getheader("content-length") is None


class Recorder:
    def __init__(self, server_url):
        self.replies = []
        self._faults = []
        self._lock = threading.Lock()
        self._target = urlsplit(server_url)
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def forward(self):
                recorder.forward(self)

            do_GET = do_POST = do_PUT = do_DELETE = forward

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def plan(self, faults):
        """What is to happen to the next requests; instead of whatever has not happened yet."""
        self._faults = list(faults)

    def not_happened(self):
        return self._faults

    def forward(self, client):
        body = read_body(client)
        fault = self._fault_for(client.command, client.path)
        carry_out = getattr(self, f"_{fault.kind}") if fault else self._in_order
        reply = carry_out(client, body, fault)
        if reply is None:
            hang_up(client)
        else:
            answer(client, reply)

    def _fault_for(self, method, target):
        with self._lock:
            for fault in self._faults:
                if fault.fits(method, target):
                    self._faults.remove(fault)
                    return fault
        return None

    def _in_order(self, client, body, _fault):
        return self._ask(client, body)

    def _late(self, client, body, fault):
        def halves():
            for part in (body[: len(body) // 2], body[len(body) // 2 :]):
                time.sleep(fault.seconds)
                yield part

        return self._ask(client, halves(), length=len(body))

    def _lost(self, client, body, _fault):
        self._ask(client, body)

    def _cut(self, client, body, fault):
        reply = self._ask(client, body)
        assert len(reply.content) > fault.after, f"Nothing is left out of {reply.content!r}."
        begin(client, reply)
        part = reply.content[: fault.after]
        client.wfile.write(b"%x\r\n%s" % (len(reply.content), part) if reply.is_chunked else part)

    def _broken(self, client, body, fault):
        assert len(body) > fault.after, f"{client.path} has a content of {len(body)} bytes."
        connection = self._connect()
        send_head(connection, client, len(body))
        connection.send(body[: fault.after])
        connection.close()

    def _twice(self, client, body, _fault):
        self._ask(client, body)
        return self._ask(client, body)

    def _both(self, client, body, _fault):
        with ThreadPoolExecutor(2) as pool:
            replies = list(pool.map(lambda _: self._ask(client, body), range(2)))
        return max(replies, key=lambda reply: reply.status)

    def _connect(self):
        return http.client.HTTPConnection(self._target.hostname, self._target.port, timeout=60)

    def _ask(self, client, body, length=None):
        connection = self._connect()
        send_head(connection, client, len(body) if length is None else length)
        for part in [body] if isinstance(body, bytes) else body:
            connection.send(part)
        reply = Reply(connection.getresponse())
        connection.close()
        self.replies.append(
            {
                "method": client.command,
                "path": urlsplit(client.path).path,
                "status": reply.status,
                "type": reply.type,
                "body": reply.content.decode("utf-8", "replace"),
            }
        )
        return reply


def read_body(client):
    if client.headers.get("transfer-encoding", "").lower() != "chunked":
        return client.rfile.read(int(client.headers.get("content-length") or 0))
    parts = []
    while length := int(client.rfile.readline(), 16):
        parts.append(client.rfile.read(length))
        client.rfile.readline()
    client.rfile.readline()
    return b"".join(parts)


def send_head(connection, client, length):
    connection.putrequest(client.command, client.path, skip_accept_encoding=True)
    for name, value in client.headers.items():
        if name.lower() not in HOP_BY_HOP:
            connection.putheader(name, value)
    connection.putheader("Content-Length", str(length))
    connection.endheaders()


def begin(client, reply):
    client.send_response(reply.status)
    for name, value in reply.headers:
        client.send_header(name, value)
    whole = ("Transfer-Encoding", "chunked") if reply.is_chunked else ("Content-Length", str(len(reply.content)))
    client.send_header(*whole)
    client.end_headers()


def answer(client, reply):
    begin(client, reply)
    if not reply.is_chunked:
        client.wfile.write(reply.content)
        return
    if reply.content:
        client.wfile.write(b"%x\r\n%s\r\n" % (len(reply.content), reply.content))
    client.wfile.write(b"0\r\n\r\n")


def hang_up(client):
    client.close_connection = True
    client.wfile.flush()
    client.connection.shutdown(socket.SHUT_RDWR)

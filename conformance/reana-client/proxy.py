"""Stands between a client and the server, and remembers every reply as it was sent."""

import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "host"}


class Recorder:
    def __init__(self, server_url):
        self.replies = []
        target = urlsplit(server_url)
        replies = self.replies

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def forward(self):
                length = int(self.headers.get("content-length") or 0)
                body = self.rfile.read(length)
                headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
                connection = http.client.HTTPConnection(target.hostname, target.port, timeout=60)
                connection.request(self.command, self.path, body, headers)
                reply = connection.getresponse()
                content = reply.read()
                connection.close()
                replies.append(
                    {
                        "method": self.command,
                        "path": urlsplit(self.path).path,
                        "status": reply.status,
                        "type": reply.getheader("content-type", ""),
                        "body": content.decode("utf-8", "replace"),
                    }
                )
                self.send_response(reply.status)
                for name, value in reply.getheaders():
                    if name.lower() not in HOP_BY_HOP:
                        self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

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

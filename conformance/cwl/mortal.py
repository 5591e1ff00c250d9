"""A server that is started again whenever it is killed."""

import threading
import urllib.parse

from server import Server


class MortalServer:
    def __init__(self, folder):
        self.lives = 1
        self.pid_file = folder / "pid"
        self.data = folder / "data"
        self.is_closing = False
        self.server = Server(self.data)
        self.url, self.token = self.server.url, self.server.token
        self.note()
        self.watch = threading.Thread(target=self.revive)
        self.watch.start()

    def note(self):
        self.pid_file.write_text(str(self.server.process.pid))

    def revive(self):
        while True:
            self.server.process.wait()
            if self.is_closing:
                return
            self.lives += 1
            try:
                self.server = Server(self.data, port=urllib.parse.urlparse(self.url).port)
            except SystemExit:
                continue  # It was killed while it started.
            self.note()

    def close(self):
        self.is_closing = True
        self.server.close()
        self.watch.join()

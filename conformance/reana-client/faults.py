"""What can happen to a request on its way, and to which: each happens once, to the first request that it fits."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """`after`: of how many bytes nothing more comes; `seconds`: by how much each half of a request is late."""

    says: str
    kind: str
    method: str
    path: str
    after: int = 0
    seconds: float = 0.0

    def fits(self, method, target):
        return method == self.method and re.search(self.path, target) is not None

    def __str__(self):
        return f"{self.says} of {self.method} {self.path.removesuffix('$')}"


def late(method, path, seconds=0.5):
    return Fault("delay", "late", method, path, seconds=seconds)


def lost(method, path):
    """The server carries it out, and its answer reaches nobody."""
    return Fault("loss of the answer", "lost", method, path)


def cut(method, path, after=20):
    """So many bytes of the answer's content arrive."""
    return Fault("end in the middle of the answer", "cut", method, path, after=after)


def broken(method, path, after):
    """So many bytes of the request's content arrive."""
    return Fault("end in the middle", "broken", method, path, after=after)


def twice(method, path):
    """Sent again once it is answered: the client is told the second answer."""
    return Fault("repetition", "twice", method, path)


def both(method, path):
    """Two of it arrive at the same time: the client is told the worse answer."""
    return Fault("repetition at the same time", "both", method, path)

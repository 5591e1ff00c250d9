"""A row is a command of a client, its exit code, and what it has to print (a regular expression).

A row may hold for some clients alone, and be said `by` a second person; `until` repeats a command that only looks, until it prints what is waited for;
`faults` is what happens to its requests on their way (faults.py). A story is a folder of files and what is done with them.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Optional, Sequence, Tuple

from faults import Fault

STABLE, SHARING, NEWER = "0.9.6", "0.95.0a5", "0.95.0a6"
# Those that are told the server by REANA_SERVER_URL. The newest saves its servers.
WITH_ADDRESS = (STABLE, SHARING)
NOT_STABLE = (SHARING, NEWER)
# The second person of a story, who is no administrator.
READER = "reader@example.org"
# A third one, who has used nothing of a small quota.
LIMITED = "limited@example.org"


@dataclass(frozen=True)
class Row:
    title: str
    arguments: Sequence[str]
    prints: str = ""
    exits: int = 0
    only: Optional[Tuple[str, ...]] = None
    until: bool = False
    faults: Tuple[Fault, ...] = ()
    by: Optional[str] = None


@dataclass(frozen=True)
class Story:
    title: str
    rows: Sequence[Row]
    files: Dict[str, str]
    copied: Optional[Path] = None


def row(command: str, prints: str = "", **others) -> Row:
    words = command.split()
    return Row(title=others.pop("title", command), arguments=words, prints=prints, **others)


def unreliable(command: str, *faults: Fault, prints: str, **others) -> Row:
    happened = ", and ".join(str(fault) for fault in faults)
    return row(command, prints, title=f"{others.pop('title', command)}: {happened}", faults=faults, **others)

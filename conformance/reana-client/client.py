"""Runs in a client's own environment: carries out its commands, one a line of standard input, and prints what each did.

The client is imported once, which takes it about half a second, and each command runs in a process of its own that is forked
from there: it finds the client as a shell would have started it. Some options take the folder of the import as their default,
so all commands of a process run in its folder. A line is `["list", "-v"]`; the answer is `{"exit": 0, "printed": "..."}`, with
standard output before standard error.
"""

import gc
import json
import os
import signal
import sys
import tempfile
from pathlib import Path

# Most commands import it at their beginning.
import bravado.client  # noqa: F401
from reana_client.cli import cli

COMMAND_SECONDS = 60


def main():
    gc.freeze()
    for line in sys.stdin:
        with tempfile.TemporaryDirectory() as folder:
            outputs = [Path(folder) / "stdout", Path(folder) / "stderr"]
            exits = carry_out(json.loads(line), outputs)
            printed = "".join(output.read_text(errors="replace") for output in outputs)
        print(json.dumps({"exit": exits, "printed": printed}), flush=True)


def carry_out(arguments, outputs):
    child = os.fork()
    if child == 0:
        become(arguments, outputs)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def become(arguments, outputs):
    signal.alarm(COMMAND_SECONDS)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, output in enumerate(outputs, start=1):
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT), number)
    sys.argv = ["reana-client", *arguments]
    exits = 1
    try:
        cli()
    except SystemExit as end:
        exits = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # Not through what the parent would do at its own end.
        os._exit(exits)


main()

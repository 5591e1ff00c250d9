"""Runs in a client's own environment: carries out its commands, one a line of standard input, and prints what each did.

The client is imported once, which takes about half a second, and each command runs in a forked process, which sees the client as
if a shell had just started it. A line is `{"run": ["list", "-v"]}`, and its reply `{"exit": 0, "printed": "..."}`, with standard
output before standard error. `{"enter": FOLDER}` sets the folder for the commands that follow, and has no reply.
"""

import gc
import importlib
import json
import os
import signal
import sys
import tempfile
from pathlib import Path

# Most commands import it at their beginning.
import bravado.client  # noqa: F401
import reana_client.cli

COMMAND_SECONDS = 60


def main():
    for line in sys.stdin:
        request = json.loads(line)
        if "enter" in request:
            enter(request["enter"])
        else:
            print(json.dumps(run(request["run"])), flush=True)


def enter(folder):
    """Changes the folder. Some options take the folder of the import as their default, so the client's own modules are
    imported again, which takes 5 ms; its libraries stay."""
    os.chdir(folder)
    for name in [name for name in sys.modules if name.split(".")[0] == "reana_client"]:
        del sys.modules[name]
    importlib.import_module("reana_client.cli")
    gc.freeze()


def run(arguments):
    with tempfile.TemporaryDirectory() as folder:
        outputs = [Path(folder) / "stdout", Path(folder) / "stderr"]
        exits = carry_out(arguments, outputs)
        return {"exit": exits, "printed": "".join(output.read_text(errors="replace") for output in outputs)}


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
        sys.modules["reana_client.cli"].cli()
    except SystemExit as end:
        exits = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # Skips the parent's exit handlers.
        os._exit(exits)


main()

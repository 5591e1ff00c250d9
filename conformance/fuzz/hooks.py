"""Hooks of schemathesis: what no schema can say. run.py names this file to it."""

import os
import zlib

import schemathesis

# Runs that exist, and one that does not.
RUNS = os.environ["FUZZ_RUNS"].split() + ["absent.1"]
# Node refuses a longer request line before there is an endpoint.
ADDRESS_MAX = 6000


@schemathesis.hook
def filter_case(context, case):
    address = f"{case.path_parameters}{case.query}{case.headers}{case.cookies}"
    return len(address.encode("utf-8", "surrogatepass")) * 3 < ADDRESS_MAX


@schemathesis.hook
def before_call(context, case, kwargs):
    """Puts the name of a run in the place of most generated ones: requests about no run end early."""
    for name, value in (case.path_parameters or {}).items():
        if name.startswith("workflow_id_or_name") or name == "other":
            chosen = zlib.crc32(str(value).encode("utf-8", "surrogatepass"))
            if chosen % 8:
                case.path_parameters[name] = RUNS[chosen % len(RUNS)]

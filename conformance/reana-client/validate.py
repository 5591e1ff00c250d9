"""Runs in a client's own environment: validate.py RECORDED...

Validates recorded replies, one in a line, against the OpenAPI document that the client brings, with the library by which it
does so itself. What differs only in its ids and times is looked at once. Prints a line for each that the client would refuse,
and the number of those that were looked at.
"""

import json
import re
import sys
from pathlib import Path

import reana_commons
from bravado_core.response import IncomingResponse, validate_response_body
from bravado_core.spec import Spec


class Recorded(IncomingResponse):
    def __init__(self, status, content_type, text):
        # Its user, bravado, looks at the beginning of the type alone.
        content_type = content_type.split(";")[0]
        self.status_code, self.text, self.raw_bytes, self.reason = status, text, text.encode(), ""
        self.headers, self.content_type = {"content-type": content_type}, content_type

    def json(self, **_):
        return json.loads(self.text)


ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}")


def read_once(files):
    seen = set()
    for file in files:
        for line in Path(file).read_text().splitlines():
            alike = TIME.sub("TIME", ID.sub("ID", line))
            if alike not in seen:
                seen.add(alike)
                yield json.loads(line)


def main(files):
    folder = Path(reana_commons.__file__).parent / "openapi_specifications"
    document = json.loads((folder / "reana_server.json").read_text())
    # Paths that have no operations are no paths to the library.
    spec = Spec.from_dict(document, config={"validate_swagger_spec": False, "use_models": False})
    looked_at, faults = 0, []
    for reply in read_once(files):
        operation = operation_of(spec, reply["method"], reply["path"])
        if operation is None or "json" not in reply["type"]:
            continue
        response = operation.op_spec["responses"].get(str(reply["status"]))
        told = f"{reply['method']} {reply['path']} {reply['status']}"
        if response is None and reply["status"] < 300:
            faults.append(f"{told}: a success that the document does not know")
        # The client reads nothing where the document promises nothing; of other errors it tells the status alone.
        if response is None or "schema" not in response:
            continue
        looked_at += 1
        try:
            validate_response_body(operation, response, Recorded(reply["status"], reply["type"], reply["body"]))
        except Exception as error:  # whatever the library throws is what its user would see
            faults.append(f"{PLAIN_ARRAY if is_plain_array(reply) else told}: {str(error).splitlines()[0]}")
    print("\n".join([*faults, str(looked_at)]))


PLAIN_ARRAY = "the plain array"


def is_plain_array(reply):
    return reply["path"] == "/api/workflows" and reply["body"].startswith("[")


def operation_of(spec, method, path):
    """By the longest text that is no parameter: /move_files/x is no workflow."""
    wanted = path.rstrip("/").split("/")
    found = []
    for resource in spec.resources.values():
        for operation in resource.operations.values():
            parts = operation.path_name.rstrip("/").split("/")
            is_tail = parts[-1] == "{file_name}" and len(wanted) >= len(parts)
            if operation.http_method.upper() != method or not (len(parts) == len(wanted) or is_tail):
                continue
            if all(part.startswith("{") or part == word for part, word in zip(parts, wanted)):
                found.append((sum(not part.startswith("{") for part in parts), operation))
    return max(found, key=lambda pair: pair[0])[1] if found else None


main(sys.argv[1:])

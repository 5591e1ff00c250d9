"""Judges crates by roc-validator at the level of Provenance Run Crate, and asks questions in SPARQL: judge.py FOLDER…

Run it in the environment `crates` of install.sh. Prints a line of JSON for each crate: the issues that are required or recommended,
the number of checks that ran, and the answers. Nothing is fetched: the contexts are answered from files.
"""

import io
import json
import pathlib
import sys
import tempfile
from importlib.util import find_spec

import rdflib
import urllib3
from requests.adapters import HTTPAdapter
from requests_cache import CachedSession
from rocrate_validator import services
from rocrate_validator.models import Severity

HERE = pathlib.Path(__file__).parent
# The package itself needs others when it is imported.
ROCRATE = pathlib.Path(find_spec("rocrate").origin).parent
CONTEXTS = {
    "https://w3id.org/ro/crate/1.1/context": (ROCRATE / "data/ro-crate.jsonld").read_text(),
    "https://w3id.org/ro/terms/workflow-run/context": (HERE / "workflow-run-context.jsonld").read_text(),
}
# The main workflow must be a file of the crate, so that its id is relative: the recommendation contradicts a requirement.
IMPOSSIBLE = "The SoftwareApplication id SHOULD be an absolute URI"
QUESTIONS = (HERE / "questions.sparql").read_text().split("\n\n")


class FromFiles(HTTPAdapter):
    """Answers each request from the contexts, and refuses all others."""

    def send(self, request, **_):
        body = io.BytesIO(CONTEXTS[request.url].encode())
        headers = {"Content-Type": "application/ld+json"}
        raw = urllib3.HTTPResponse(body, headers, 200, preload_content=False, request_url=request.url)
        return self.build_response(request, raw)


def filled_cache(folder):
    """Makes the cache that the validator reads without a network."""
    cache = folder / "cache"
    with CachedSession(str(cache), expire_after=-1) as session:
        session.mount("https://", FromFiles())
        for address in CONTEXTS:
            session.get(address)
    return cache


def judged(crate, cache):
    """Returns the issues of a crate, and the number of checks that really ran."""
    result = services.validate(
        {
            "rocrate_uri": crate,
            "profile_identifier": "provenance-run-crate",
            "requirement_severity": Severity.RECOMMENDED,
            "cache_path": cache,
            "offline": True,
        }
    )
    issues = [f"{issue.severity.name}: {issue.message} ({issue.violatingEntity})" for issue in result.get_issues()]
    issues = {issue for issue in issues if IMPOSSIBLE not in issue}
    return {"issues": sorted(issues), "checks": len(result.executed_checks), "skipped": len(result.skipped_checks)}


def answers(crate):
    """Returns the rows that each question finds in a crate."""
    document = json.loads((pathlib.Path(crate) / "ro-crate-metadata.json").read_text())
    document["@context"] = [json.loads(CONTEXTS[address])["@context"] for address in document["@context"]]
    graph = rdflib.Graph()
    graph.parse(data=json.dumps(document), format="json-ld", base="https://crate.example/")
    found = {}
    for question in QUESTIONS:
        name = question.split("\n", 1)[0].removeprefix("# ")
        found[name] = sorted([str(value) for value in row] for row in graph.query(question))
    return found


with tempfile.TemporaryDirectory() as folder:
    cache = filled_cache(pathlib.Path(folder))
    for crate in sys.argv[1:]:
        print(json.dumps({**judged(crate, cache), "answers": answers(crate)}), flush=True)

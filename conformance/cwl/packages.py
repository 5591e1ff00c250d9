"""Runs the documents in the source packages of cwltool and toil, and compares the outputs with what cwltool made of them.

packages.py ENVIRONMENTS: the folder of virtual environments, where the source packages are kept too. packages.yaml lists
the documents with the checksum of cwltool's outputs. CWL_CASES picks documents by a part of their paths. With CWLTOOL,
the path of a cwltool, it prints the list as that cwltool has it now.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

from server import NODE, PROGRAM

HERE = Path(__file__).resolve().parent
LIST = HERE / "packages.yaml"
PACKAGES = {"cwltool": "3.3.20260925135507", "toil": "9.6.0"}
# Building these packages needs nothing else: only their files are wanted.
BUILDERS = ["setuptools", "setuptools_scm[simple]>=8,<11", "wheel"]
OURS = [str(NODE), str(PROGRAM), "cwl-runner", "--quiet"]
TIMEOUT_SECONDS = 120
# What is said of a file or folder, whatever the place where it lies.
KEPT = ("class", "basename", "size", "checksum", "contents", "format", "secondaryFiles", "listing")


def main():
    folders = fetched(Path(sys.argv[1]) / "cwl-sources")
    wanted = os.environ.get("CWL_CASES", "")
    cases = [case for case in yaml.safe_load(LIST.read_text()) if wanted in case["document"]]
    cwltool = os.environ.get("CWLTOOL")
    command = [cwltool, "--no-container", "--quiet"] if cwltool else OURS
    with ThreadPoolExecutor(2) as threads:
        made = list(threads.map(lambda case: outcome(command, folders, case), cases))
    if cwltool:
        for case, outputs in zip(cases, made):
            print("- " + yaml.safe_dump({**case, "outputs": outputs}, default_flow_style=True, width=1000, sort_keys=False).strip())
        return 0
    passed, failed = 0, 0
    for case, outputs in zip(cases, made):
        is_equal = outputs == case["outputs"]
        is_expected = is_equal != ("differs" in case)
        passed, failed = passed + is_expected, failed + (not is_expected)
        if not is_expected:
            print(f"FAILED: {case}: {'equal, although it is listed as different' if is_equal else outputs}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def fetched(folder):
    """Returns the folder of each source package, unpacked."""
    for name, version in PACKAGES.items():
        if (folder / f"{name}-{version}").exists():
            continue
        builder = folder / "builder"
        subprocess.run([sys.executable, "-m", "venv", builder], check=True)
        pip = [builder / "bin/pip", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", *BUILDERS], check=True)
        only_source = ["--no-build-isolation", "--no-deps", "--no-binary", ":all:", "--dest", folder]
        subprocess.run([*pip, "download", *only_source, f"{name}=={version}"], check=True)
        shutil.unpack_archive(folder / f"{name}-{version}.tar.gz", folder)
    return {name: folder / f"{name}-{version}" for name, version in PACKAGES.items()}


def outcome(command, folders, case):
    """Returns the checksum of the outputs, or "none" if the document is refused or fails."""
    package = folders[case["package"]]
    with tempfile.TemporaryDirectory() as outdir:
        words = [str(package / case[key]) for key in ("document", "job") if key in case]
        called = [*command, "--outdir", outdir, *words]
        done = subprocess.run(called, cwd=package, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    return checksum(json.loads(done.stdout)) if done.returncode == 0 else "none"


def checksum(outputs):
    return hashlib.sha256(json.dumps(placeless(outputs), sort_keys=True).encode()).hexdigest()[:16]


def placeless(value):
    if isinstance(value, list):
        return [placeless(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("class") not in ("File", "Directory"):
        return {name: placeless(item) for name, item in value.items()}
    kept = {name: placeless(value[name]) for name in KEPT if name in value}
    # Both may list in any order.
    for name in ("secondaryFiles", "listing"):
        if name in kept:
            kept[name] = sorted(kept[name], key=lambda one: json.dumps(one, sort_keys=True))
    return kept


sys.exit(main())

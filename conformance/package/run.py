#!/usr/bin/env python3
"""Uses the installed package on this machine, and in an image made by the Dockerfile. The other parts drive its languages.

The base of the image is made from this machine's own packages, because no registry of images can be reached from the tests; npm
takes the dependencies from its cache.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

from images import Podman, essential, podman
from server import NODE, PROGRAM, ROOT, Server

LANGUAGES = ROOT / "conformance/reana-client/languages"
# The image can run these: it has neither Python nor Snakemake.
IN_IMAGE = {"hello": ROOT / "examples/hello", "cwl": LANGUAGES / "cwl", "yadage": LANGUAGES / "yadage"}
BASE, STEP_IMAGE = "localhost/node:24-slim", "localhost/marked:1"
IMAGE, CLUSTER_IMAGE = "localhost/reprise:1", "localhost/reprise-cluster:1"
NPM = Path("/usr/lib/node_modules/npm")
PATIENCE_SECONDS = 60
DRAW = """
import { chromium } from "playwright-core";
const args = ["--no-sandbox", "--disable-dev-shm-usage"];
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args });
const page = await browser.newPage();
await page.goto(process.argv[1]);
await page.locator("#root h1").waitFor();
console.log(await page.locator("#root").innerText());
await browser.close();
"""
HEALTHY = "fetch('http://127.0.0.1:7070/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"


class Installed:
    """A server of the package with the sandbox and podman, and the commands of the package."""

    def __init__(self, folder):
        self.folder = folder
        self.data = folder / "data"
        self.server = Server(self.data, containers="podman")

    def reprise(self, *words, folder=None):
        command = [str(NODE), str(PROGRAM), *map(str, words)]
        done = subprocess.run(command, cwd=folder or self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"reprise {words}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def printed_by(self, name, command, image=None):
        """Runs one command on the server, in the sandbox or in an image. Returns the file that it wrote."""
        folder = self.folder / name
        folder.mkdir()
        step = {"commands": [f"{{ {command}; }} > out.txt"], **({"environment": image} if image else {})}
        workflow = {"type": "serial", "specification": {"steps": [step]}}
        (folder / "reana.yaml").write_text(json.dumps({"workflow": workflow, "outputs": {"files": ["out.txt"]}}))
        self.reprise("run", "reana.yaml", "--data", self.data, folder=folder)
        return (folder / "out.txt").read_text()

    def call(self, method, path):
        query = urllib.parse.urlencode({"access_token": self.server.token})
        request = urllib.request.Request(f"{self.server.url}/api/{path}?{query}", method=method)
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)


def page(installed):
    """A browser draws the page."""
    drawing = ["--input-type=module", "--eval", DRAW, f"{installed.server.url}/runs"]
    drawn = subprocess.run([NODE, *drawing], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert "Sign in" in drawn, drawn


def sandbox(installed):
    """A job cannot read the data folder of the server."""
    seen = installed.printed_by("walled", f"cat {installed.data}/admin-token || echo walled")
    assert seen == "walled\n", "A job reads the data folder of the server."


def container(installed):
    """A step runs in its image."""
    seen = installed.printed_by("contained", "cat /etc/marked", STEP_IMAGE)
    assert seen == "inside\n", seen


def notebook(installed):
    """JupyterLab opens on the files of a run."""
    run = installed.call("GET", "workflows")[0]["id"]
    installed.call("POST", f"workflows/{run}/open/jupyter")
    url = installed.call("GET", f"workflows/{run}/interactive-session-secret")["url"]
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    deadline = time.monotonic() + PATIENCE_SECONDS
    while "JupyterLab" not in opened(browser, url):
        assert time.monotonic() < deadline, "JupyterLab did not open."
        time.sleep(0.2)
    installed.call("POST", f"workflows/{run}/close")


def opened(browser, url):
    try:
        with browser.open(url) as reply:
            return reply.read().decode()
    except urllib.error.HTTPError as error:
        return str(error)


def backup(installed):
    """A backup of the running server holds its runs."""
    copy = installed.folder / "copy"
    installed.reprise("backup", copy, "--data", installed.data)
    installed.reprise("restore", copy, "--data", installed.folder / "restored")
    names = [sorted(run["name"] for run in json.loads(listed(installed, data))) for data in ("data", "restored")]
    assert names[0] == names[1] != [], names


def listed(installed, data):
    return installed.reprise("list", "--data", installed.folder / data, "--json")


def image(installed):
    """The image of the Dockerfile serves, and runs the languages that it has programs for."""
    build(installed.folder)
    allowed = ["--env=REPRISE_ALLOW_INSECURE_HOST=true", "--env=REPRISE_SANDBOX=none", "--env=REPRISE_CONTAINERS=none"]
    podman("run", "--detach", "--name=reprise", "--network=none", *allowed, IMAGE)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while subprocess.run(["podman", "exec", "reprise", "node", "-e", HEALTHY], capture_output=True).returncode != 0:
        assert time.monotonic() < deadline, podman("logs", "reprise")
        time.sleep(0.2)
    for name, folder in IN_IMAGE.items():
        podman("cp", folder, f"reprise:/tmp/{name}")
        podman("exec", "--user=root", "reprise", "chown", "-R", "node", f"/tmp/{name}")
        podman("exec", f"--workdir=/tmp/{name}", "reprise", "reprise", "run")


def cluster_image(_):
    """The image for clusters has the programs of Slurm, and its server is not root."""
    inside = ["run", "--rm", "--network=none", "--entrypoint=sh", CLUSTER_IMAGE, "-c"]
    # Without a cluster, sbatch does not even say its version.
    said = podman(*inside, "command -v sbatch && reprise --version && id -u")
    assert said == "/usr/bin/sbatch\n0.1.0\n1000\n", said


def build(folder):
    """Builds the images from the Dockerfile, with a base that stands for the one of the registry."""
    context = folder / "context"
    context.mkdir()
    shutil.copy(os.environ["REPRISE_TEST_PACKAGE"], context)
    cache = subprocess.run(["npm", "config", "get", "cache"], check=True, capture_output=True, text=True).stdout.strip()
    options = ["--network=none", "--layers=false", "--format=docker", f"--volume={cache}:/root/.npm:O"]
    for target, name in {"server": IMAGE, "cluster": CLUSTER_IMAGE}.items():
        which = [f"--target={target}", f"--build-arg=BASE={BASE}", "--tag", name]
        podman("build", *options, *which, "--file", ROOT / "Dockerfile", context)


def as_node_image(root):
    """Adds what the image of Node has, and what the Dockerfile would install: git is there, and catatonit stands for tini."""
    shutil.copy(NODE, root / "usr/bin/node")
    shutil.copytree(NPM, root / "usr/lib/node_modules/npm", symlinks=True)
    (root / "usr/bin/npm").symlink_to("../lib/node_modules/npm/bin/npm-cli.js")
    (root / "usr/bin/tini").symlink_to("catatonit")
    (root / "home/node").mkdir()
    os.chown(root / "home/node", 1000, 1000)
    with (root / "etc/passwd").open("a") as passwd, (root / "etc/group").open("a") as group:
        passwd.write("node:x:1000:1000::/home/node:/bin/bash\n")
        group.write("node:x:1000:\n")


def marked(root):
    (root / "etc/marked").write_text("inside\n")


CHECKS = (page, sandbox, container, notebook, backup, image, cluster_image)


def main():
    failed = []
    with tempfile.TemporaryDirectory(prefix="reprise-package-") as name, Podman(Path(name)) as images:
        images.add(STEP_IMAGE, essential(), marked)
        base = [*essential(), "git", "ca-certificates", "catatonit", "libstdc++6", "procps", "slurm-client"]
        images.add(BASE, base, as_node_image, "ENV npm_config_offline=true")
        installed = Installed(Path(name))
        try:
            for check in CHECKS:
                try:
                    check(installed)
                except (AssertionError, OSError, subprocess.CalledProcessError) as error:
                    traceback.print_exc(file=sys.stdout)
                    print(getattr(error, "stdout", None) or "", getattr(error, "stderr", None) or "")
                    failed.append(check.__name__)
        finally:
            installed.server.close()
    for name in failed:
        print(f"FAILED: {name}")
    print(f"{len(CHECKS) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


sys.exit(main())

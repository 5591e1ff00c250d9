"""A podman whose images are made without a registry, from Debian's packages of this machine."""

import os
import subprocess
import tempfile
from pathlib import Path

# Every Debian has the essential packages; the tools' folders of the suite need no others.
PYTHON = ["python3"]
LEFT_OUT = ("/usr/share/doc/", "/usr/share/info/", "/usr/share/locale/", "/usr/share/man/", "/var/")
MERGED = ["bin", "sbin", "lib", "lib64"]
# As in the image bash:4.4: options alone are given to bash.
ENTRYPOINT = """#!/bin/bash
case "$1" in -*) set -- bash "$@" ;; esac
exec "$@"
"""
HYBRID_GROUPS = Path("/sys/fs/cgroup/unified")


class Podman:
    """Podman's settings lead to a storage of its own while this is open."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {
            "CONTAINERS_CONF": written(folder / "containers.conf", containers_conf()),
            "CONTAINERS_STORAGE_CONF": written(folder / "storage.conf", storage_conf(folder)),
        }

    def __enter__(self):
        os.environ.update(self.environment)
        return self

    def __exit__(self, *_):
        podman("rm", "--all", "--force", "--time=0")
        for place in sorted(mounted_below(self.folder), reverse=True):
            subprocess.run(["umount", place], check=True)
        for name in self.environment:
            del os.environ[name]

    def add(self, image, packages, change=None, *words):
        """Makes an image of the files of packages, and of all that they depend on."""
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            root = Path(name)
            unpack(root, files_of(with_dependencies(packages)))
            if change:
                change(root)
            archive = self.folder / "image.tar"
            subprocess.run(["tar", "-C", root, "-cf", archive, "."], check=True)
            podman("import", "--quiet", *[f"--change={word}" for word in words], archive, image)
            archive.unlink()


class Images(Podman):
    """The images that the suite of CWL names."""

    def __enter__(self):
        super().__enter__()
        self.add("docker.io/library/debian:stable-slim", essential())
        self.add("docker.io/library/python:3-slim", [*essential(), *PYTHON], python_link)
        self.add("docker.io/library/bash:4.4", essential(), entrypoint, 'ENTRYPOINT ["/entrypoint.sh"]')
        return self


def podman(*words):
    return subprocess.run(["podman", *map(str, words)], check=True, capture_output=True, text=True).stdout


def essential():
    lines = dpkg("--show", "--showformat=${Essential} ${Package}\\n").splitlines()
    return [line.split()[1] for line in lines if line.startswith("yes ")]


def with_dependencies(packages):
    """Returns packages with all that they depend on. Of alternatives, the first one that is installed."""
    lines = dpkg("--show", "--showformat=${Package}\t${Pre-Depends}, ${Depends}\t${Provides}\\n").splitlines()
    needs, provided = {}, {}
    for package, depends, provides in (line.split("\t") for line in lines):
        needs[package] = [[bare(one) for one in choice.split("|")] for choice in depends.split(",") if choice.strip()]
        for name in [package, *map(bare, provides.split(","))]:
            provided.setdefault(name, package)
    found, todo = set(), list(packages)
    while todo:
        package = todo.pop()
        if package in found or package not in needs:
            continue
        found.add(package)
        for choice in needs[package]:
            todo += [provided[name] for name in choice if name in provided][:1]
    return sorted(found)


def bare(dependency):
    """Returns the name of a package without its version and its architecture."""
    return dependency.split("(")[0].split(":")[0].strip()


def files_of(packages):
    names = set(dpkg("--listfiles", *packages).splitlines())
    wanted = sorted(name for name in names if name.startswith("/") and not name.startswith(LEFT_OUT))
    return [name for name in wanted if os.path.islink(name) or os.path.isfile(name)]


def dpkg(*words):
    return subprocess.run(["dpkg-query", *words], check=True, capture_output=True, text=True).stdout


def unpack(root, files):
    for name in MERGED:
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    for name in ["dev", "etc", "home", "proc", "root", "run", "sys", "tmp", "var/tmp"]:
        (root / name).mkdir(parents=True)
    (root / "tmp").chmod(0o1777)
    listed = written(root.parent / "files", "\0".join(name[1:] for name in files if name.strip("/") not in MERGED))
    reading = ["tar", "-C", "/", "--null", "--no-recursion", "--files-from", listed, "-cf", "-"]
    with subprocess.Popen(reading, stdout=subprocess.PIPE) as source:
        writing = ["tar", "-C", root, "--keep-directory-symlink", "-xf", "-"]
        subprocess.run(writing, stdin=source.stdout, check=True)
    if source.returncode != 0:
        raise SystemExit("The files of the images could not be read.")
    for name in ["passwd", "group"]:
        (root / "etc" / name).write_text(Path(f"/usr/share/base-passwd/{name}.master").read_text())
    shell = root / "usr/bin/sh"
    if not shell.exists():
        shell.symlink_to("dash")


def python_link(root):
    (root / "usr/local/bin").mkdir(parents=True, exist_ok=True)
    (root / "usr/local/bin/python").symlink_to("/usr/bin/python3")


def entrypoint(root):
    file = root / "entrypoint.sh"
    file.write_text(ENTRYPOINT)
    file.chmod(0o755)


def written(file, text):
    file.write_text(text)
    return str(file)


def containers_conf():
    """Keeps to what a container of a CI may do: no limits are raised, and runc accepts both versions of control groups."""
    files = subprocess.run(["bash", "-c", "ulimit -Hn"], check=True, capture_output=True, text=True).stdout.strip()
    runtime = 'runtime = "runc"\n' if HYBRID_GROUPS.exists() else ""
    return f"""[containers]
default_ulimits = ["nofile={files}:{files}", "nproc=4096:4096"]
[engine]
events_logger = "file"
cgroup_manager = "cgroupfs"
{runtime}"""


def storage_conf(folder):
    return f"""[storage]
driver = "overlay"
graphroot = "{folder}/images"
runroot = "{folder}/run"
"""


def mounted_below(folder):
    places = [line.split(" ")[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    return [place for place in places if place.startswith(f"{folder}/")]

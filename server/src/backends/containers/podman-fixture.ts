import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll } from "vitest";
import { installedRuntimes } from "#backends/containers/runtime";

/** A podman for tests: with its own images, made from programs of this machine, and without a registry. */
export interface Podman {
  /** A folder of the tests' own. */
  readonly folder: string;
  run(...words: readonly string[]): string;
  /** Makes an image with bash, busybox and the given programs of this machine. */
  addImage(image: string, programs: readonly string[], texts: Readonly<Record<string, string>>): void;
  /** Makes an image with bash, busybox and the Python of this machine. */
  addPython(image: string): void;
  /** Names of all existing containers. */
  containers(): string[];
  close(): void;
}

/** An image with bash and busybox. */
export const BASH_IMAGE = "localhost/with-bash:1";
/** An image with busybox alone. */
export const PLAIN_IMAGE = "localhost/without-bash:1";
/** An image with an ENTRYPOINT that prints the arguments. */
export const ENTRYPOINT_IMAGE = "localhost/with-entrypoint:1";

const BUSYBOX = "/bin/busybox";

/** True if this machine has the material of images. */
export const HAS_BUSYBOX = existsSync(BUSYBOX);
/** True if this machine has all requirements of the tests. In CI a skipped test counts as failed. */
const HAS_PODMAN = installedRuntimes("podman").length > 0 && HAS_BUSYBOX;
/** Why a test in containers is skipped. */
export const NO_PODMAN = HAS_PODMAN
  ? undefined
  : "it needs podman and a busybox of one file: apt-get install podman busybox-static";

/** Opens a podman for all tests of the calling group, and closes it afterwards. */
export function sharedPodman(prepare: (podman: Podman) => void = () => undefined): () => Podman {
  let podman: Podman;
  beforeAll(() => {
    podman = openPodman();
    prepare(podman);
  });
  afterAll(() => podman.close());
  return () => podman;
}

/** Opens a podman. The environment of this process leads to the podman until `close`. */
export function openPodman(): Podman {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-podman-"));
  const before = { ...process.env };
  const settings = {
    CONTAINERS_CONF: write(folder, "containers.conf", containersConf()),
    CONTAINERS_STORAGE_CONF: write(folder, "storage.conf", storageConf(folder)),
  };
  Object.assign(process.env, settings);
  const run = (...words: readonly string[]) =>
    execFileSync("podman", words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const importArchive = (...words: readonly string[]) => void run("import", "--quiet", ...words);
  makeImages(folder, importArchive);
  return {
    folder,
    run,
    addImage(image, programs, texts) {
      const root = path.join(folder, "root");
      for (const program of programs) copyProgram(root, program);
      for (const [file, text] of Object.entries(texts)) write(root, file, text);
      importImage(root, importArchive, image);
    },
    addPython(image) {
      const root = path.join(folder, "python-root");
      execFileSync("cp", ["-a", path.join(folder, "root"), root]);
      copyPython(root);
      importImage(root, importArchive, image);
    },
    containers: () => run("ps", "--all", "--external", "--format", "{{.Names}}").split("\n").filter(Boolean),
    close() {
      run("rm", "--all", "--force", "--time=0");
      for (const name of Object.keys(settings)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
      // Without root the files of images belong to users of podman's own.
      if (!IS_ROOT) run("unshare", "rm", "-rf", path.join(folder, "images"));
      removeMounted(folder);
    },
  };
}

const IS_ROOT = process.getuid?.() === 0;

/** Removes a folder with possible mounts inside. */
export function removeMounted(folder: string): void {
  for (const mounted of mountsBelow(folder)) execFileSync("umount", [mounted]);
  rmSync(folder, { recursive: true, force: true });
}

/** Returns the mount points below a folder, the deepest first. */
function mountsBelow(folder: string): string[] {
  const places = readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "");
  return places
    .filter((place) => place.startsWith(`${folder}/`))
    .toSorted()
    .toReversed();
}

/**
 * Keeps to the limits of this machine: the limit on open files may not be raised, and control groups of both
 * versions are mounted together, which only runc accepts. A user who is not root has no control groups on
 * such a machine, and needs crun.
 */
function containersConf(): string {
  const files = execFileSync("bash", ["-c", "ulimit -Hn"], { encoding: "utf8" }).trim();
  const isHybrid = existsSync("/sys/fs/cgroup/unified");
  return `[containers]
default_ulimits = ["nofile=${files}:${files}", "nproc=4096:4096"]
${isHybrid && !IS_ROOT ? 'cgroups = "disabled"\n' : ""}[engine]
events_logger = "file"
cgroup_manager = "cgroupfs"
${isHybrid && IS_ROOT ? 'runtime = "runc"\n' : ""}`;
}

function storageConf(folder: string): string {
  return `[storage]
driver = "overlay"
graphroot = "${folder}/images"
runroot = "${folder}/run"
`;
}

function write(folder: string, name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** Runs the runtime's `import` with the given words. */
type ImportArchive = (...words: readonly string[]) => void;

/** Makes the images of the tests below a folder. */
export function makeImages(folder: string, importArchive: ImportArchive): void {
  const root = path.join(folder, "root");
  for (const part of ["bin", "etc", "tmp", "proc", "dev", "sys", "root"])
    mkdirSync(path.join(root, part), { recursive: true });
  execFileSync("chmod", ["1777", path.join(root, "tmp")]);
  write(root, "etc/passwd", "root:x:0:0:root:/root:/bin/sh\n");
  write(root, "etc/group", "root:x:0:\n");
  copyFileSync(BUSYBOX, path.join(root, "bin/busybox"));
  const applets = execFileSync(BUSYBOX, ["--list"], { encoding: "utf8" }).split("\n");
  for (const applet of applets)
    if (applet !== "" && applet !== "busybox") symlinkSync("busybox", path.join(root, "bin", applet));
  importImage(root, importArchive, PLAIN_IMAGE);
  importImage(root, importArchive, ENTRYPOINT_IMAGE, 'ENTRYPOINT ["/bin/echo","entry"]');
  copyProgram(root, "/bin/bash");
  importImage(root, importArchive, BASH_IMAGE);
}

/** Makes an image of a tree of files. */
function importImage(
  root: string,
  importArchive: ImportArchive,
  image: string,
  ...changes: readonly string[]
): void {
  const archive = `${root}.tar`;
  execFileSync("tar", ["-C", root, "-cf", archive, "."]);
  const words = ["ENV PATH=/bin:/usr/bin", ...changes].flatMap((change) => ["--change", change]);
  importArchive(...words, archive, image);
}

function copyProgram(root: string, program: string): void {
  for (const file of [program, ...librariesOf(program)]) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    copyFileSync(file, path.join(root, file));
  }
}

/** Copies the interpreter and its own library, without packages and tests. */
function copyPython(root: string): void {
  const asked = ["-c", "import sys, sysconfig; print(sys.executable); print(sysconfig.get_path('stdlib'))"];
  const [program, library] = execFileSync("/usr/bin/python3", asked, { encoding: "utf8" }).split("\n");
  copyProgram(root, realpathSync(program!));
  symlinkSync(path.basename(realpathSync(program!)), path.join(root, "usr/bin/python3"));
  const words = ["--exclude=dist-packages", "--exclude=test", "--exclude=__pycache__", "-C", "/", "-cf", "-"];
  const packed = execFileSync("tar", [...words, library!.slice(1)], { maxBuffer: 2 ** 30 });
  execFileSync("tar", ["-C", root, "-xf", "-"], { input: packed });
}

function librariesOf(program: string): string[] {
  const printed = execFileSync("ldd", [program], { encoding: "utf8" });
  return [...printed.matchAll(/(\/\S+) \(0x/g)].map(([, file]) => file!);
}

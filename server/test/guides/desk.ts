import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { freePort } from "#backends/free-port-fixture";
import { ROOT } from "./blocks.ts";
import type { Desk } from "./walk.ts";

/** An empty home, and the repository that a reader clones. */
export interface Newcomer extends Desk {
  /** The reader's address for `git clone`. */
  readonly repository: string;
  /** A free port for a server, in place of 7070. */
  readonly port: number;
  /** Puts a program on the reader's path. */
  addProgram(name: string, target: string): Promise<void>;
  /** Adds variables to the environment of the reader's terminals. */
  set(environment: Readonly<Record<string, string>>): void;
  /** Gives the reader the command `reprise` from this checkout. */
  addReprise(): Promise<void>;
  /** Gives the reader a prepared checkout, and returns its folder. */
  clone(): Promise<string>;
  whenLeaving(work: () => Promise<void>): void;
  leave(): Promise<void>;
}

const run = promisify(execFile);

export async function sitDown(repository: string): Promise<Newcomer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-guide-"));
  const [home, programs] = ["home", "bin"].map((name) => path.join(folder, name));
  await Promise.all([mkdir(home!), mkdir(programs!)]);
  const port = await freePort();
  const environment = {
    HOME: home!,
    PATH: `${programs}:${process.env["PATH"]}`,
    LANG: "C.UTF-8",
    REPRISE_PORT: String(port),
    // The jobs of a guide use programs in the reader's home, and no image can be fetched.
    REPRISE_SANDBOX: "none",
    REPRISE_CONTAINERS: "none",
    // Every home is new, but compiling is half of the time of a command: readers share what other tests have compiled.
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
    // Pip reuses fetched packages from this cache, and does not ask for a newer pip.
    PIP_CACHE_DIR: path.join(os.homedir(), ".cache", "pip"),
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    VIRTUAL_ENV_DISABLE_PROMPT: "1",
    PYTHONWARNINGS: "ignore",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  const works: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const addProgram = async (name: string, target: string) => {
    await rm(path.join(programs!, name), { force: true });
    await symlink(target, path.join(programs!, name));
  };
  return {
    home: home!,
    repository,
    port,
    environment,
    addProgram,
    set: (more) => void Object.assign(environment, more),
    async addReprise() {
      const program = path.join(folder, "reprise");
      const command = `exec node '${ROOT}/tools/run.js' server/bin/reprise.js "$@"`;
      await writeFile(program, `#!/bin/sh\n${command}\n`, { mode: 0o755 });
      await addProgram("reprise", program);
    },
    async clone() {
      const checkout = path.join(home!, "reprise");
      await run("git", ["clone", "--quiet", repository, checkout]);
      await bringModules(checkout);
      return checkout;
    },
    whenLeaving: (work) => void works.push(work),
    async leave() {
      for (const work of works.toReversed()) await work();
    },
  };
}

/**
 * Makes a repository with the current files of this checkout, committed or not. All readers clone the
 * repository.
 */
export async function makeRepository(target: string): Promise<void> {
  const git = (cwd: string, ...args: string[]) => execFileSync("git", args, { cwd, encoding: "utf8" });
  const files = git(
    ROOT,
    "ls-files",
    "--deduplicate",
    "--cached",
    "--others",
    "--exclude-standard",
    "-z",
  ).split("\0");
  await mkdir(target);
  const present = files.filter((file) => file !== "" && existsSync(path.join(ROOT, file)));
  execFileSync("cp", ["--parents", "--preserve=mode,links", "--no-dereference", "-t", target, ...present], {
    cwd: ROOT,
  });
  git(target, "init", "--quiet");
  git(target, "add", "--all");
  const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
  git(target, ...author, "commit", "--quiet", "--message", "The checkout");
}

/**
 * Copies the modules and the page of this checkout to another checkout, so no set-up is needed.
 * `newcomer.slow.test.ts` tests the set-up.
 */
export async function bringModules(checkout: string): Promise<void> {
  // Without caches such as `.vitest-cache`: concurrent tests write caches, and a file that disappears during
  // the copy would abort the copy.
  const modules = (await readdir(path.join(ROOT, "node_modules"))).filter(
    (name) => !/^\.(cache|vite)/.test(name),
  );
  await mkdir(path.join(checkout, "node_modules"));
  // Asynchronous, because several readers type at the same time.
  await copied(path.join(ROOT, "node_modules"), modules, path.join(checkout, "node_modules"));
  for (const folder of ["server/node_modules", "sdk/src/node_modules", "ui/dist"]) {
    const [from, name] = [path.join(ROOT, path.dirname(folder)), path.basename(folder)];
    if (existsSync(path.join(from, name)))
      await copied(from, [name], path.join(checkout, path.dirname(folder)));
  }
}

async function copied(from: string, names: readonly string[], into: string): Promise<void> {
  await run("cp", ["-al", "-t", into, ...names], { cwd: from });
}

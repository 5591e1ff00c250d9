import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { readBlocks } from "../guides/blocks.ts";
import { makeRepository } from "../guides/desk.ts";
import { ownEnvironment } from "./newcomer.ts";

const run = promisify(execFile);

/** A machine on which somebody types the first commands of the README. */
export interface Machine {
  /** A clone in a folder with a space and an umlaut in its name. */
  readonly checkout: string;
  readonly home: string;
  /** Returns a folder for the PATH with the programs of this machine, except for some. */
  pathWithout(...names: readonly string[]): Promise<string>;
  /** Types the README's first commands after the clone. Returns their output, even if a command fails. */
  type(options?: Typing): Promise<{ readonly code: number; readonly printed: string }>;
  remove(): Promise<void>;
}

interface Typing {
  readonly environment?: Readonly<Record<string, string>>;
  /** Optional. A shell command to type first. */
  readonly first?: string;
  /** A program with arguments to start the shell. */
  readonly as?: readonly string[];
  /** Commands that replace the README's commands after the alias. */
  readonly commands?: readonly string[];
}

export async function newMachine(): Promise<Machine> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-machine-"));
  const [checkout, home] = [path.join(folder, "r ü mlaut"), path.join(folder, "höme of mine")];
  const repository = path.join(folder, "repository");
  await mkdir(home);
  await makeRepository(repository);
  execFileSync("git", ["clone", "--quiet", repository, checkout]);
  const [alias, ...readmeCommands] = await firstCommands();
  return {
    checkout,
    home,
    async pathWithout(...names) {
      const programs = await mkdtemp(path.join(folder, "path-"));
      const targets = new Map<string, string>();
      for (const place of process.env["PATH"]!.split(":").filter((one) => existsSync(one)))
        for (const name of await readdir(place))
          if (!targets.has(name) && !names.includes(name)) targets.set(name, path.join(place, name));
      await Promise.all([...targets].map(([name, target]) => symlink(target, path.join(programs, name))));
      return programs;
    },
    async type({ environment = {}, first = ":", as = [], commands = readmeCommands } = {}) {
      const { REPRISE_CONTAINERS: _, ...own } = ownEnvironment();
      const env = { ...own, HOME: home, ...environment };
      const script = ["shopt -s expand_aliases", `cd '${checkout}'`, first, alias, ...commands].join("\n");
      const [program, ...args] = [...as, "/bin/bash", "-c", script];
      try {
        const { stdout, stderr } = await run(program, args, { env, cwd: folder });
        return { code: 0, printed: stdout + stderr };
      } catch (error) {
        const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
        return { code, printed: stdout + stderr };
      }
    },
    async remove() {
      await chmod(folder, 0o700);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the commands of the README's first block after `git clone`. */
async function firstCommands(): Promise<readonly string[]> {
  const [block] = await readBlocks("README.md");
  const [clone, ...commands] = block!.lines
    .filter((line) => line.startsWith("$ "))
    .map((line) => line.slice(2));
  if (!clone?.startsWith("git clone ")) throw new Error("The README does not begin with a clone.");
  return commands;
}

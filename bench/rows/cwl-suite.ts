import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { buildPackage } from "../support/built.ts";
import { cwltoolPath } from "../support/cwltool-path.ts";
import { peer } from "../support/peers.ts";
import { removeFolder, temporaryFolder } from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";

const CONFORMANCE = path.join(import.meta.dirname, "../../conformance/cwl");
/**
 * Makes the images of the suite, prints the variables by which podman finds them, and removes them when its
 * input ends.
 */
const IMAGES = `
import json, sys
from pathlib import Path
from images import Images

with Images(Path(sys.argv[1])) as images:
    print(json.dumps(images.environment), flush=True)
    sys.stdin.read()
`;
const IN_CONTAINERS = ["--podman", "--disable-pull"];

interface Suite {
  readonly folder: string;
  /** The program of the package. */
  readonly program: string;
  /** Tests that fail here with every tool. */
  readonly leftOut: readonly string[];
  readonly options: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Measures the conformance suite of CWL, without the tests that sleep, on the host and in containers. Each side runs it once:
 * with two hundred commands it is a batch in itself.
 */
export async function cwlSuite(): Promise<Row[]> {
  const folder = await temporaryFolder();
  try {
    const program = await buildPackage(folder);
    const host = {
      folder,
      program,
      leftOut: await listed("needs-container.txt"),
      options: [],
      environment: {},
    };
    const onHost = await suiteRow("the suite of CWL on the host", 0.5, host);
    const images = await makeImages(path.join(folder, "images"));
    const environment = { ...images.environment, PATH: await cwltoolPath(path.join(folder, "wrapper")) };
    const leftOut = await listed("cannot-pass-here.txt");
    try {
      const inContainers = { folder, program, leftOut, options: IN_CONTAINERS, environment };
      return [onHost, await suiteRow("the suite of CWL in containers", 0.6, inContainers)];
    } finally {
      await images.remove();
    }
  } finally {
    await removeFolder(folder);
  }
}

async function suiteRow(what: string, bound: number, suite: Suite): Promise<Row> {
  const theirs = await run(`"${peer("cwltool")}"`, suite);
  const ours = await run(`"${process.execPath}" "${suite.program}" cwl-runner`, suite);
  const against = ["cwltool", ...suite.options.slice(0, 1)].join(" ");
  const detail = `${seconds(ours.ms)} against ${seconds(theirs.ms)} s; ${ours.result}, cwltool: ${theirs.result}`;
  return atMost(what, against, ours.ms / theirs.ms, bound, "×", detail);
}

/** Runs the suite by a tool. Returns how long it took, and how many tests passed. */
async function run(tool: string, suite: Suite): Promise<{ ms: number; result: string }> {
  const file = path.join(suite.folder, "tool");
  await writeFile(file, `#!/bin/sh\nexec ${tool} ${suite.options.join(" ")} "$@"\n`, { mode: 0o755 });
  const tests = [
    "--test",
    "conformance_tests.yaml",
    "--exclude-tags",
    "timelimit",
    "-S",
    suite.leftOut.join(","),
  ];
  const options = ["--tool", file, `-j${os.availableParallelism()}`, "--timeout", "120"];
  const own = { TMPDIR: suite.folder, XDG_CACHE_HOME: path.join(suite.folder, "cache") };
  const beganAt = performance.now();
  const child = spawn(peer("cwltest"), [...tests, ...options], {
    cwd: suiteFolder(),
    env: { ...process.env, ...own, ...suite.environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [printed] = await Promise.all([text(child.stderr), once(child, "exit")]);
  const ms = performance.now() - beganAt;
  const [result] = /All tests passed|\d+ tests passed/.exec(printed) ?? [];
  if (result === undefined) throw new Error(`cwltest printed no result: ${printed.slice(-2000)}`);
  return { ms, result };
}

/** Returns the tests in a list of the suite. */
async function listed(name: string): Promise<string[]> {
  return (await readFile(path.join(suiteFolder(), name), "utf8")).trim().split("\n");
}

function suiteFolder(): string {
  const folder = process.env["CWL_SUITE"];
  if (folder === undefined) throw new Error("Set CWL_SUITE to the folder of the conformance suite of CWL.");
  return folder;
}

async function makeImages(folder: string) {
  await mkdir(folder);
  const child = spawn("python3", ["-c", IMAGES, folder], {
    cwd: CONFORMANCE,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const { value } = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
  if (value === undefined) throw new Error("The images of the suite could not be made.");
  return {
    environment: JSON.parse(value) as Record<string, string>,
    async remove() {
      child.stdin.end();
      await ended;
    },
  };
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(0);
}

import { execFileSync } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { command, type Command } from "../support/command.ts";
import { startGitHttpServer } from "../files/git-http-server.ts";
import { ADMIN_TOKEN, client, startRealServer, temporaryFolder } from "../support/real-server.ts";

const EXAMPLES = path.join(import.meta.dirname, "..", "..", "..", "examples");
const ENVIRONMENT = {
  REPRISE_ADMIN_TOKEN: ADMIN_TOKEN,
  REPRISE_SAMPLE_RUN: "false",
  REPRISE_GIT_HTTP_HOSTS: "127.0.0.1",
  REPRISE_GIT_PRIVATE_HOSTS: "127.0.0.1",
};

const CTRL_C = "\u0003";
/** Signals within this time of a press count as the same press, regardless of the sender. */
const SAME_PRESS_MS = 1200;

let folder: string;
let remove: () => Promise<void>;
let data: string;

beforeEach(async () => {
  ({ folder, remove } = await temporaryFolder());
  data = path.join(folder, "data");
  await cp(path.join(EXAMPLES, "hello"), path.join(folder, "hello"), { recursive: true });
});

afterEach(() => remove());

const run = (...args: string[]): Command => command(["run", ...args, "--data", data], here());
const runAtTerminal = (...args: string[]): Command =>
  command(["run", ...args, "--data", data], { ...here(), atTerminal: true });
const here = () => ({
  cwd: folder,
  environment: { ...ENVIRONMENT, XDG_CACHE_HOME: path.join(folder, "cache") },
});
const text = (...names: string[]) => readFile(path.join(folder, ...names), "utf8");

async function put(name: string, content: string): Promise<void> {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
  await writeFile(path.join(folder, name), content);
}

/** Writes a serial analysis of one step into a new folder. */
async function analysis(name: string, commands: readonly string[], others: object = {}): Promise<void> {
  const steps = [{ name: "step", environment: "any", commands }];
  const specification = { ...others, workflow: { type: "serial", specification: { steps } } };
  await put(`${name}/reana.yaml`, JSON.stringify(specification));
}

const GREETINGS = "Hello, Ada!\nHello, Emmy!\nHello, Rosalind!\n";

describe("reprise run", () => {
  test("carries analyses out in the command's process, one after another", async () => {
    const { cwd, environment } = here();
    const first = command(["run", "hello", "--data", data], {
      cwd,
      environment: { ...environment, NODE_COMPILE_CACHE: "" },
    });
    expect(await first.ended, first.stderr()).toBe(0);
    expect(first.stdout()).toBe(`${path.join("hello", "results", "greetings.txt")}  42 B\n`);
    expect(first.stderr()).toMatch(/^hello\.1 started\.\nhello\.1: started greet: mkdir -p results\n/);
    expect(first.stderr()).toMatch(/\nhello\.1 finished after [\d.]+ s\.\n$/);
    expect(await text("hello", "results", "greetings.txt")).toBe(GREETINGS);
    // The compile cache. The second run is faster.
    expect(await readdir(path.join(folder, "cache", "reprise", "compiled"))).toHaveLength(1);
    const second = run("hello/reana.yaml", "--param", "greeting=Salve", "--output", "there");
    expect(await second.ended, second.stderr()).toBe(0);
    expect(second.stderr()).toContain("hello.2 started.");
    expect(await text("there", "results", "greetings.txt")).toContain("Salve, Ada!");
    expect(await text("hello", "results", "greetings.txt")).toBe(GREETINGS);
  });

  test("uses the server that lives on the data folder", async () => {
    const server = await startRealServer(data);
    try {
      await put("hello/data/large.bin", "x".repeat(3_000_000));
      await put("hello/data/empty.bin", "");
      await analysis("hello", ["cp data/large.bin data/empty.bin .", "ls data"], {
        inputs: { directories: ["data"] },
        outputs: { files: ["*.bin"] },
      });
      const made = run("hello", "--json", "--output", "there");
      expect(await made.ended, made.stderr()).toBe(0);
      const lines = made.stdout().trimEnd().split("\n");
      const { id, status } = JSON.parse(lines.at(-1)!) as { id: string; status: string };
      expect(status).toBe("finished");
      expect((await client(server.url).status(id))["status"]).toBe("finished");
      expect(await text("there", "large.bin")).toHaveLength(3_000_000);
      expect(await text("there", "empty.bin")).toBe("");
      await analysis("fails", ["echo by then > out; echo it broke; exit 3"], { outputs: { files: ["out"] } });
      const failing = run("fails");
      expect(await failing.ended).toBe(1);
      expect(failing.stderr()).toContain('Step "step" failed: its command exited with code 3.\n');
      expect(failing.stderr()).toContain("it broke\n");
      expect(await text("fails", "failed", "fails.1", "out")).toBe("by then\n");
    } finally {
      await server.stop();
    }
  });

  test("continues when the server is killed and restarted during the run", async () => {
    const killed = await startRealServer(data);
    await put("gate", "");
    const gate = path.join(folder, "gate");
    await analysis("long", [`while [ -e ${gate} ]; do sleep 0.05; done; echo once >> out`], {
      outputs: { files: ["out"] },
    });
    const made = run("long");
    await expect.poll(made.stderr).toContain("started step: while");
    await killed.kill();
    const server = await startRealServer(data, {}, "--port", new URL(killed.url).port);
    try {
      await rm(gate);
      expect(await made.ended, made.stderr()).toBe(0);
      expect(await text("long", "out")).toBe("once\n");
    } finally {
      await server.stop();
    }
  });

  test("takes an analysis from a Git repository, and brings its outputs into a folder of its name", async () => {
    const git = await startGitHttpServer();
    try {
      const steps = "[{environment: any, commands: ['cat code/a.txt > out.txt; echo ${n} >> out.txt']}]";
      const repository = await git.addRepository("fit", {
        "reana.yaml":
          `inputs: {files: [code/a.txt], parameters: {n: 3}}\noutputs: {files: [out.txt]}\n` +
          `workflow: {type: serial, specification: {steps: ${steps}}}\n`,
        "code/a.txt": "of the repository\n",
      });
      const made = run(repository.url, "--param", "n=5");
      expect(await made.ended, made.stderr()).toBe(0);
      expect(made.stdout()).toBe(`${path.join("fit", "out.txt")}  20 B\n`);
      expect(await text("fit", "out.txt")).toBe("of the repository\n5\n");
      const wrong = run(repository.url, "--param", "colour=red");
      expect(await wrong.ended).toBe(2);
      expect(wrong.stderr()).toContain("It declares: n.");
    } finally {
      await git.close();
    }
  });

  test("sweeps a parameter, and compares the results", async () => {
    const made = run("hello", "--sweep", "greeting=Hi,Salve");
    expect(await made.ended, made.stderr()).toBe(0);
    expect(made.stdout().split("\n").slice(0, 3)).toEqual([
      "RUN      greeting  STATUS    DURATION  results/greetings.txt",
      expect.stringMatching(/^hello\.1 {2}Hi {8}finished {2}.+ s +33 B a$/),
      expect.stringMatching(/^hello\.2 {2}Salve {5}finished {2}.+ s +42 B b$/),
    ]);
    expect(await text("hello", "sweep", "greeting=Salve", "results", "greetings.txt")).toContain(
      "Salve, Ada!",
    );
  });

  test("watches the inputs, and runs again when one has changed", async () => {
    const made = run("hello", "--watch");
    await expect.poll(made.stderr).toContain("Waiting for changes;");
    await put("hello/data/names.txt", "Lise\n");
    await expect.poll(made.stderr).toMatch(/hello\.2 finished[^]*Waiting for changes;/);
    expect(await text("hello", "results", "greetings.txt")).toBe("Hello, Lise!\n");
    made.kill("SIGINT");
    expect(await made.ended).toBe(0);
  });

  test("continues when its output is closed", async () => {
    const made = run("hello");
    made.stopReading();
    expect(await made.ended).toBe(0);
    expect(await text("hello", "results", "greetings.txt")).toBe(GREETINGS);
  });

  test("shows the last output of a failed step", async () => {
    await analysis("fails", ["seq 1 100; exit 3"]);
    const made = run("fails");
    expect(await made.ended).toBe(1);
    expect(made.stdout()).toBe("");
    const shown = made.stderr().split("\n");
    const from = shown.indexOf("81");
    expect(shown.slice(from, from + 20)).toEqual(
      Array.from({ length: 20 }, (_, index) => String(81 + index)),
    );
    expect(shown).not.toContain("80");
  });

  test("explains a fault of a specification, and leaves no file", async () => {
    await put("wrong/reana.yaml", "workflow: {type: nextflow, file: a}\n");
    const made = run("wrong");
    expect(await made.ended).toBe(1);
    expect(made.stderr()).toMatch(
      /at workflow.type \(.*reana.yaml, line 1, column 12\): 'nextflow' is not one of/,
    );
    expect(await run("hello", "--param", "colour=red").ended).toBe(2);
  });

  test("stopped by a signal ends its jobs, and is a stopped run", async () => {
    // Unique, because concurrent runs of these tests on the same machine have sleepers too.
    const sleeper = `sleep 4321.${process.pid}`;
    const processes = () => execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
    await analysis("long", ["touch begun", sleeper]);
    const made = run("long");
    await expect.poll(made.stderr).toContain(`started step: ${sleeper}`);
    await expect.poll(processes).toContain(sleeper);
    made.kill("SIGINT");
    expect(await made.ended).toBe(130);
    expect(processes()).not.toContain(sleeper);
    expect(made.stderr()).toMatch(/\nlong\.1 was stopped after /);
  });

  test("at a terminal asks at the first Ctrl-C, and stops at the second", async () => {
    await analysis("long", ["echo begun", "sleep 4321"]);
    const made = runAtTerminal("long");
    await expect
      .poll(() => stripVTControlCharacters(made.stdout()))
      .toMatch(/✓ step: echo begun [^]*1\/2 .*step: sleep 4321/);
    made.type(CTRL_C);
    await expect.poll(made.stdout).toContain("Press Ctrl-C again to stop long.1.");
    await delay(SAME_PRESS_MS);
    made.type(CTRL_C);
    expect(await made.ended).toBe(130);
    expect(made.stdout()).toMatch(
      /■ step: sleep 4321 [^]*long\.1 was stopped after .*[^]*"reprise restart long\.1"/,
    );
  });

  test("killed loses nothing: the next command on the data folder continues with it", async () => {
    await put("gate", "");
    const gate = path.join(folder, "gate");
    await analysis("killed", [`while [ -e ${gate} ]; do sleep 0.05; done; echo once >> ran`, "cp ran out"]);
    const made = run("killed");
    await expect.poll(made.stderr).toContain("started step: while");
    made.kill("SIGKILL");
    expect(await made.ended).toBe("SIGKILL");
    const next = run("hello");
    expect(await next.ended).toBe(0);
    expect(next.stderr()).toContain('killed.1 was interrupted; "reprise serve" will resume it.');
    const server = await startRealServer(data);
    try {
      await rm(gate);
      expect(await client(server.url).ended("killed")).toMatchObject({ status: "finished" });
      expect((await client(server.url).download("killed", "out")).text).toBe("once\n");
    } finally {
      await server.stop();
    }
  });

  test("waits for another that uses the data folder", async () => {
    await put("gate", "");
    await analysis("first", [`while [ -e ${path.join(folder, "gate")} ]; do sleep 0.05; done`]);
    const first = run("first");
    await expect.poll(first.stderr).toContain("started step");
    const second = run("hello");
    await expect.poll(second.stderr).toContain("Another command uses the data folder");
    await rm(path.join(folder, "gate"));
    expect([await first.ended, await second.ended]).toEqual([0, 0]);
  });
});

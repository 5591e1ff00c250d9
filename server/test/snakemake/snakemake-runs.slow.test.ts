import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { client, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";
import { SNAKEMAKES, snakemakeProgram } from "../support/snakemake.ts";

type Files = Readonly<Record<string, string>>;

/** Installing Snakemake takes half a minute, once for each machine. */
const INSTALL_MAX_MS = 300_000;
/** A story starts Snakemake up to ten times. */
const STORY_MAX_MS = 180_000;

const GREETINGS: Files = {
  "config.yaml": "names: [Ada, Bob]\n",
  Snakefile: `
localrules: index

rule all:
    input: "out/all.txt", "out/made-by-script.txt", "out/made-by-run.txt", "out/grouped.txt", "out/kept.txt"
rule index:
    output: "out/index.txt"
    shell: "echo index > {output}"
rule greet:
    input: "out/index.txt"
    output: temp("out/{name}.txt")
    threads: 2
    resources: mem_mb=10
    log: "logs/{name}.log"
    shell: "echo hello {wildcards.name} with {threads} > {output}; echo logged > {log}"
rule collect:
    input: expand("out/{name}.txt", name=config["names"])
    output: "out/all.txt"
    shell: "cat {input} > {output}"
rule script:
    input: "out/index.txt"
    output: "out/made-by-script.txt"
    params: n=3
    script: "make.py"
rule run:
    output: "out/made-by-run.txt"
    run:
        with open(output[0], "w") as made: made.write(str(config["names"]))
rule first:
    output: temp("out/first.txt")
    group: "pair"
    shell: "echo first > {output}"
rule second:
    input: "out/first.txt"
    output: "out/grouped.txt"
    group: "pair"
    shell: "cat {input} > {output}"
rule shadowed:
    output: protected("out/kept.txt")
    shadow: "minimal"
    shell: "echo aside > aside.txt; cat aside.txt > {output}"
`,
  "make.py": 'open(snakemake.output[0], "w").write(str(snakemake.params.n))\n',
};

const CHECKPOINT: Files = {
  Snakefile: `
rule all:
    input: "sum.txt"
checkpoint split:
    output: directory("parts")
    shell: "mkdir parts; for i in 1 2 3; do echo $i > parts/$i.txt; done"
rule double:
    input: "parts/{i}.txt"
    output: "doubled/{i}.txt"
    shell: "cat {input} {input} > {output}"
def doubled(wildcards):
    folder = checkpoints.split.get().output[0]
    return expand("doubled/{i}.txt", i=sorted(glob_wildcards(folder + "/{i}.txt").i))
rule sum:
    input: doubled
    output: "sum.txt"
    shell: "cat {input} > {output}"
`,
};

const FAILING: Files = {
  Snakefile: `
rule all:
    input: "bad.txt", "good.txt"
rule bad:
    output: "bad.txt"
    shell: "exit 3"
rule flaky:
    output: "flaky.txt"
    retries: 1
    shell: "if [ -e tried ]; then echo > {output}; else touch tried; exit 1; fi"
rule good:
    input: "flaky.txt"
    output: "good.txt"
    shell: "cp {input} {output}"
`,
};

const NAPS: Files = {
  Snakefile: `
rule all:
    input: expand("naps/{i}", i=range(4))
rule nap:
    output: "naps/{i}"
    shell: "echo began {wildcards.i} >> ran.txt; sleep 2; echo ended {wildcards.i} >> ran.txt; touch {output}"
`,
};

const CHAIN = `
rule second:
    input: "first.txt"
    output: "second.txt"
    shell: "cp {input} {output}"
rule first:
    input: "in.txt"
    output: "first.txt"
    shell: "cp {input} {output}"
`;

const POLL = { timeout: 60_000, interval: 50 };

/** The same Snakefiles under plain Snakemake: what it leaves, by checksum. */
const COMPARED: readonly (readonly [name: string, files: Files, jobs: readonly string[]])[] = [
  [
    "scripts, groups, temporary and protected files",
    GREETINGS,
    [
      "collect",
      "greet (name=Ada)",
      "greet (name=Bob)",
      "index",
      "pair",
      "report",
      "run",
      "script",
      "shadowed",
      "snakemake",
    ],
  ],
  [
    "checkpoints",
    CHECKPOINT,
    ["double (i=1)", "double (i=2)", "double (i=3)", "report", "snakemake", "split", "sum"],
  ],
];

describe.each(SNAKEMAKES)("runs that Snakemake %s plans", { timeout: STORY_MAX_MS }, (version) => {
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: RealServer;
  let program: string;

  beforeAll(async () => {
    program = snakemakeProgram(version);
    data = await temporaryFolder();
    server = await start();
  }, INSTALL_MAX_MS);
  afterAll(async () => {
    await server.stop();
    await data.remove();
  });

  const start = () => startRealServer(data.folder, {}, "--snakemake", program, "--cores", "2");
  const call = (...given: Parameters<ReturnType<typeof client>["call"]>) => client(server.url).call(...given);

  async function begin(files: Files, options: object = {}): Promise<string> {
    const document = {
      inputs: { parameters: "config.yaml" in files ? { input: "config.yaml" } : {}, options },
      workflow: { type: "snakemake", file: "Snakefile" },
      outputs: {},
    };
    const { body } = await call("POST", "workflows", JSON.stringify(document), "&workflow_name=snake");
    const run = body["workflow_id"] as string;
    for (const [name, content] of Object.entries(files)) await client(server.url).upload(run, name, content);
    expect((await client(server.url).setStatus(run, "start")).body).toMatchObject({ status: "queued" });
    return run;
  }

  interface Log {
    readonly job_name: string;
    readonly status: string;
    readonly logs: string;
  }

  async function logsOf(run: string): Promise<{ engine: string; jobs: Log[] }> {
    const { body } = await call("GET", `workflows/${run}/logs`);
    const logs = JSON.parse(body["logs"] as string) as {
      workflow_logs: string;
      job_logs: Record<string, Log>;
    };
    return { engine: logs.workflow_logs, jobs: Object.values(logs.job_logs) };
  }

  test.each(COMPARED)("leave the files that plain Snakemake leaves: %s", async (_, files, jobs) => {
    const { workspaces } = dataFolderPaths(data.folder);
    const others = new Set(readdirSync(workspaces));
    const run = await begin(files);
    const [workspace] = readdirSync(workspaces).filter((name) => !others.has(name) && !name.startsWith("."));
    const plain = plainRun(program, files);
    const ended = await client(server.url).ended(run);
    const { jobs: ran, engine } = await logsOf(run);
    expect([ended["status"], engine]).toEqual(["finished", expect.stringContaining("(100%) done")]);
    expect(engine).toContain("snakemake.logging | MainThread | INFO | Building DAG of jobs...");
    expect(ran.map(({ job_name: name }) => name).toSorted()).toEqual(jobs);
    const { "report.html": report, ...left } = checksums(path.join(workspaces, workspace!));
    expect(report).toBeDefined();
    expect(left).toEqual(plain);
  });

  test("go on with independent jobs, and try again, if they are told to", async () => {
    const run = await begin(FAILING, { on_failure: "finish" });
    const ended = await client(server.url).ended(run);
    expect(ended["status"]).toBe("failed");
    const { engine, jobs } = await logsOf(run);
    expect(engine).toContain("Rule bad failed: its command exited with code 3.");
    const summary = jobs.map(({ job_name: name, status }) => `${name} ${status}`).toSorted();
    expect(summary).toEqual([
      "bad failed",
      "flaky failed",
      "flaky finished",
      "good finished",
      "snakemake failed",
    ]);
  });

  test("go on after the server and Snakemake were killed, and finished jobs do not run again", async () => {
    const run = await begin(NAPS);
    const ran = () =>
      client(server.url)
        .download(run, "ran.txt")
        .then(({ text }) => text.trimEnd().split("\n"));
    await expect.poll(ran, POLL).toContain("began 0");
    await server.kill();
    server = await start();
    const noted = async () =>
      (await logsOf(run)).jobs[0]!.logs.split("\n").filter((line) => line.endsWith("%) done")).length;
    await expect.poll(noted, POLL).toBeGreaterThan(0);
    const before = await noted();
    killPlanners(data.folder);
    expect(await client(server.url).ended(run)).toMatchObject({ status: "finished" });
    expect((await logsOf(run)).engine).toContain("Snakemake was lost. It plans again");
    const lines = await ran();
    const once = [0, 1, 2, 3].filter((nap) => lines.filter((line) => line === `began ${nap}`).length === 1);
    expect(once.length).toBeGreaterThanOrEqual(before);
    // No job began again before it had ended.
    for (const nap of [0, 1, 2, 3]) {
      const own = lines.filter((line) => line.endsWith(` ${nap}`)).map((line) => line.split(" ")[0]);
      expect(own).toEqual(own.map((_, index) => (index % 2 === 0 ? "began" : "ended")));
      expect(own.length).toBeGreaterThan(0);
    }
  });

  test("run in a restart what Snakemake finds out of date, and say why", async () => {
    const run = await begin({ Snakefile: CHAIN, "in.txt": "1" });
    await client(server.url).ended(run);
    await client(server.url).upload(run, "in.txt", "2");
    const { body } = await call("POST", "workflows/snake/restart", "{}");
    const again = body["workflow_id"] as string;
    expect(await client(server.url).ended(again)).toMatchObject({ status: "finished" });
    const { jobs } = await logsOf(again);
    expect(jobs.map(({ job_name: name }) => name)).toEqual(["snakemake", "first", "second", "report"]);
    expect((await client(server.url).download(again, "second.txt")).text).toBe("2");
    const { body: third } = await call("POST", "workflows/snake/restart", "{}");
    const idle = third["workflow_id"] as string;
    expect(await client(server.url).ended(idle)).toMatchObject({ status: "finished" });
    const { engine, jobs: none } = await logsOf(idle);
    expect(none.map(({ job_name: name }) => name)).toEqual(["snakemake", "report"]);
    expect(engine).toContain("Nothing to be done: all results are up to date.");
  });

  test("fail with Snakemake's own last lines if it cannot plan", async () => {
    const run = await begin({ Snakefile: "rule all:\n    input: 'nowhere.txt'\n" });
    const { body } = await client(server.url)
      .ended(run)
      .then(() => call("GET", `workflows/${run}/failure`));
    expect(JSON.stringify(body)).toContain("MissingInputException");
  });
});

/** Kills every Snakemake that plans a run of this server. */
function killPlanners(dataFolder: string): void {
  const found = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && isPlanner(pid, dataFolder));
  expect(found).not.toEqual([]);
  for (const pid of found) process.kill(Number(pid), "SIGKILL");
}

function isPlanner(pid: string, dataFolder: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return words.includes("--executor=reprise") && readlinkSync(`/proc/${pid}/cwd`).startsWith(dataFolder);
  } catch {
    return false; // it has ended meanwhile
  }
}

/** Runs plain Snakemake with as many cores, and returns what it leaves. */
function plainRun(program: string, files: Files): Readonly<Record<string, string>> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-plain-"));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  const config = "config.yaml" in files ? ["--configfile", "config.yaml"] : [];
  execFileSync(program, ["--cores", "2", "--quiet", "all", ...config], { cwd: folder });
  const left = checksums(folder);
  rmSync(folder, { recursive: true });
  return left;
}

/** Returns the checksums of all files but Snakemake's own. */
function checksums(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((name) => !name.startsWith(".snakemake/"));
  return Object.fromEntries(
    names.toSorted().map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(path.join(folder, name)))
        .digest("hex"),
    ]),
  );
}

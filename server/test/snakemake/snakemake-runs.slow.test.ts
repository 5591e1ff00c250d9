import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SNAKEMAKES, snakemakeProgram } from "../support/engines/snakemake.ts";
import { checksums } from "./plain.ts";
import { SnakemakeServer } from "./snakemake-server.ts";

type Files = Readonly<Record<string, string>>;

/** Installing Snakemake takes half a minute, once for each machine. */
const INSTALL_MAX_MS = 300_000;
/** A story starts Snakemake up to ten times. */
const STORY_MAX_MS = 180_000;

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

/**
 * All naps but the first last until a file `go` exists, and so does the planner. A checkpoint adds two naps.
 * The input of one nap can change before `go` exists.
 */
const NAPS: Files = {
  Snakefile: `
def naps(wildcards):
    with checkpoints.names.get().output[0].open() as names:
        return [f"naps/{name}" for name in names.read().split()]
rule all:
    input: "naps/short", "naps/plain", "naps/changed", naps
checkpoint names:
    output: "names.txt"
    shell: "echo below killed > {output}"
rule nap:
    input: lambda wildcards: ["in.txt"] if wildcards.i == "changed" else []
    output: touch("naps/{i}"), "woken/{i}"
    shell:
        "echo began {wildcards.i} >> ran.txt; echo half > woken/{wildcards.i}; sleep 1; "
        "until [ {wildcards.i} = short ] || [ -e go ]; do sleep 0.1; done; "
        "echo ended {wildcards.i} >> ran.txt; echo whole > woken/{wildcards.i}"
`,
  "in.txt": "1",
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

/** The last job waits until Snakemake has removed the temporary file, whose only reader is the second job. */
const SHRINKING = `
rule third:
    input: "second.txt"
    output: "third.txt"
    shell: "until [ ! -e first.txt ]; do sleep 0.05; done; cp {input} {output}"
rule second:
    input: "first.txt"
    output: "second.txt"
    shell: "cp {input} {output}"
rule first:
    input: "in.txt"
    output: temp("first.txt")
    shell: "cp {input} {output}"
`;

/** Plain Snakemake fails here, because it prints the command in the namespace of the main workflow. */
const OWN_NAMES: Files = {
  Snakefile: `
module own:
    snakefile: "own.smk"
    config: {"word": "right"}
use rule * from own as own_*
`,
  "own.smk": `
NAME = "own"
rule all:
    input: "first.txt"
    output: "all.txt"
    shell: "echo {NAME} {config[word]} {rules.first.output} > {output}"
rule first:
    output: "first.txt"
    shell: "touch {output}"
`,
};

const POLL = { interval: 50 };

describe.each(SNAKEMAKES)("runs planned by Snakemake %s", { timeout: STORY_MAX_MS }, (version) => {
  let server: SnakemakeServer;

  beforeAll(async () => {
    server = await SnakemakeServer.start(await snakemakeProgram(version), 5);
  }, INSTALL_MAX_MS);
  afterAll(() => server.end());

  test("continue with independent jobs, and try again, if their options say so", async () => {
    const run = await server.begin({ files: FAILING }, { on_failure: "finish" });
    const ended = await server.client.ended(run);
    expect(ended["status"]).toBe("failed");
    const { engine, jobs } = await server.logsOf(run);
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

  test("format the command of a module's rule with names that only the module has", async () => {
    const run = await server.begin({ files: OWN_NAMES });
    expect(await server.client.ended(run)).toMatchObject({ status: "finished" });
    expect((await server.client.download(run, "all.txt")).text).toBe("own right first.txt\n");
  });

  test("continue after the server and Snakemake were killed, and run again only jobs that were killed or have other inputs", async () => {
    const run = await server.begin({ files: NAPS });
    const ran = () => server.client.download(run, "ran.txt").then(({ text }) => text.trimEnd().split("\n"));
    await expect
      .poll(ran, POLL)
      .toEqual(expect.arrayContaining(["began short", "began below", "began killed"]));
    await server.killAndStart();
    const noted = async () =>
      (await server.logsOf(run)).jobs[0]!.logs.split("\n").filter((line) => line.endsWith("%) done")).length;
    await expect.poll(noted, POLL).toBeGreaterThan(1);
    killPlanners(server.folder);
    killJob(server.folder, "echo began killed");
    await server.client.upload(run, "in.txt", "changed");
    await server.client.upload(run, "go", "");
    expect(await server.client.ended(run)).toMatchObject({ status: "finished" });
    expect((await server.logsOf(run)).engine).toContain("Snakemake was lost. It plans again");
    const lines = await ran();
    const linesOf = (nap: string) =>
      lines.flatMap((line) => (line.endsWith(` ${nap}`) ? [line.split(" ")[0]] : []));
    for (const nap of ["short", "plain", "below"]) expect(linesOf(nap)).toEqual(["began", "ended"]);
    expect(linesOf("changed")).toEqual(["began", "ended", "began", "ended"]);
    expect(linesOf("killed")).toEqual(["began", "began", "ended"]);
    expect((await server.client.download(run, "woken/killed")).text).toBe("whole\n");
  });

  test("run in a restart what Snakemake finds out of date, and say why", async () => {
    const files = { Snakefile: CHAIN, "in.txt": "1" };
    const run = await server.begin({ files }, { report: "reports/new/run.html" });
    expect(await server.client.ended(run)).toMatchObject({ status: "finished" });
    expect((await server.client.download(run, "reports/new/run.html")).text).toContain("</html>");
    await server.client.upload(run, "in.txt", "2");
    const { body } = await server.client.call("POST", "workflows/snake/restart", "{}");
    const again = body["workflow_id"] as string;
    expect(await server.client.ended(again)).toMatchObject({ status: "finished" });
    const { jobs } = await server.logsOf(again);
    expect(jobs.map(({ job_name: name }) => name)).toEqual(["snakemake", "first", "second", "report"]);
    expect((await server.client.download(again, "second.txt")).text).toBe("2");
  });

  test("remove temporary files during the run and the others at the end, and a restart makes needed files again", async () => {
    const declared = { outputs: { files: ["third.txt"] }, workspace: { keep: "outputs" } };
    const files = { Snakefile: SHRINKING, "in.txt": "1" };
    const { run, workspace } = await server.workspaceOf(() => server.begin({ files }, {}, declared));
    expect(await server.client.ended(run)).toMatchObject({ status: "finished" });
    const left = () => Object.keys(checksums(workspace));
    expect(left()).toEqual(["Snakefile", "in.txt", "report.html", "third.txt"]);
    const restarted = async () => {
      const { body } = await server.client.call("POST", "workflows/snake/restart", "{}");
      const again = body["workflow_id"] as string;
      expect(await server.client.ended(again)).toMatchObject({ status: "finished" });
      const { engine, jobs } = await server.logsOf(again);
      return { engine, jobs: jobs.map(({ job_name: name }) => name) };
    };
    expect(await restarted()).toEqual({
      engine: expect.stringContaining("Nothing to be done: all results are up to date.") as string,
      jobs: ["snakemake", "report"],
    });
    await server.client.upload(run, "in.txt", "2");
    expect(await restarted()).toMatchObject({ jobs: ["snakemake", "first", "second", "third", "report"] });
    expect(left()).toEqual(["Snakefile", "in.txt", "report.html", "third.txt"]);
    expect((await server.client.download(run, "third.txt")).text).toBe("2");
  });
});

/** Kills every planner process of Snakemake on this server. */
function killPlanners(dataFolder: string): void {
  killAll(dataFolder, (words) => words.includes("--executor=reprise"));
}

/** Kills the job whose script contains a text. */
function killJob(dataFolder: string, text: string): void {
  killAll(dataFolder, (words) => words[1] === "-c" && words[2]!.includes(text));
}

function killAll(dataFolder: string, isWanted: (words: readonly string[]) => boolean): void {
  const found = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && isIn(pid, dataFolder, isWanted));
  expect(found).not.toEqual([]);
  for (const pid of found) killIfThere(Number(pid));
}

/** Kills a process. It may be a short-lived child of the planner's. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function isIn(pid: string, dataFolder: string, isWanted: (words: readonly string[]) => boolean): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return isWanted(words) && readlinkSync(`/proc/${pid}/cwd`).startsWith(dataFolder);
  } catch {
    return false; // it has ended
  }
}

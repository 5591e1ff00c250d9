import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { messageOf } from "#plumbing/errors";
import { SNAKEMAKES, snakemakeProgram } from "../support/engines/snakemake.ts";
import { ADMIN_TOKEN } from "../support/real-server.ts";
import { checksums } from "./plain.ts";
import { SnakemakeServer } from "./snakemake-server.ts";

/** Installing Snakemake takes half a minute, once for each machine. */
const INSTALL_MAX_MS = 300_000;
const STORY_MAX_MS = 120_000;
const POLL = { interval: 50 };

const CHAIN = `
rule all:
    input: "second.txt", "kept.txt"
rule first:
    input: "in.txt"
    output: "first.txt"
    shell: "cp {input} {output}"
rule second:
    input: "first.txt"
    output: "second.txt"
    shell: "cat {input} > {output}; echo {config[word]} >> {output}"
rule kept:
    output: "kept.txt"
    shell: "echo kept > {output}"
`;
/** Ends at SIGTERM, although Snakemake itself would delay the end. */
const ENDLESS = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_DFL)\nwhile True: pass\n";
const FILES = { Snakefile: CHAIN, "in.txt": "1", "config.yaml": "word: one\n" };

describe.each(SNAKEMAKES)("the plan of a restart with Snakemake %s", { timeout: STORY_MAX_MS }, (version) => {
  const server = serverOf(version);

  test("shows the jobs and reasons of Snakemake's plan, and changes no file", async () => {
    const { run, workspace } = await finished(server());
    const plan = async (body: object = {}) => planOf(server(), run, body);
    expect(await plan()).toMatchObject({ complete: true, taken_over: 3, runs: 0 });
    await server().client.upload(run, "in.txt", "2");
    const before = checksums(workspace);
    const { jobs, ...changed } = await plan();
    expect(changed).toMatchObject({ complete: true, taken_over: 1, runs: 2 });
    expect(jobs.map(({ key, verdict, kind }) => [key, verdict, kind])).toEqual([
      ["first", "runs", "updated-input"],
      ["kept", "taken-over", "taken-over"],
      ["second", "runs", "input-is-made-again"],
    ]);
    expect(jobs[0]).toMatchObject({
      command: "cp in.txt first.txt",
      facts: [{ field: "updated-input in.txt", before: null, now: true }],
    });
    const other = await plan({ input_parameters: { word: "two" } });
    expect(other.jobs.find(({ key }) => key === "second")).toMatchObject({
      command: "cat first.txt > second.txt; echo two >> second.txt",
      differences: [{ field: "parameters.word", before: null, now: "two" }],
    });
    expect(checksums(workspace)).toEqual(before);
    expect(await plan({ fresh: true })).toMatchObject({ taken_over: 0, runs: 3 });
  });
});

describe("a restart that cannot be planned", { timeout: STORY_MAX_MS }, () => {
  const server = serverOf("8.27.1");

  test("is refused in Snakemake's own words, and begins nevertheless if nobody asks for the plan", async () => {
    const { run } = await finished(server());
    await server().client.upload(run, "Snakefile", "rule all:\n    input: 'nowhere.txt'\n");
    expect(await refusalOf(server(), run)).toMatch(/MissingInputException in rule all[^]*nowhere\.txt/);
    await server().client.upload(run, "Snakefile", `open("made.txt", "w")\n${CHAIN}`);
    expect(await refusalOf(server(), run)).toContain("The Snakefile changes files when it is read.");
    const environment = { REPRISE_SERVER: server().url, REPRISE_TOKEN: ADMIN_TOKEN };
    const cli = fakeCli({ environment });
    expect([await runCli(["restart", run], cli), cli.errors]).toEqual([0, []]);
    const [, again] = /^Restarted as (\S+)\.$/.exec(cli.printed.join("\n")) ?? [];
    expect(await server().client.ended(again!)).toMatchObject({ status: "finished" });
  });

  test("holds up nobody, and ends when its client leaves", async () => {
    const { run } = await finished(server());
    await server().client.upload(run, "Snakefile", ENDLESS);
    const leaving = new AbortController();
    const asked = server().client.call("POST", `workflows/${run}/restart-plan`, "{}", "", leaving.signal);
    const broken = asked.catch(messageOf);
    await expect.poll(() => dryRuns(server().folder), POLL).toHaveLength(1);
    const { run: other } = await finished(server());
    expect(await planOf(server(), other, {})).toMatchObject({ runs: 0 });
    leaving.abort();
    expect(await broken).toContain("aborted");
    await expect.poll(() => dryRuns(server().folder), POLL).toEqual([]);
  });
});

/** Starts a server for the tests of a group. */
function serverOf(version: (typeof SNAKEMAKES)[number]): () => SnakemakeServer {
  let server: SnakemakeServer;
  beforeAll(async () => {
    server = await SnakemakeServer.start(await snakemakeProgram(version), 2, "--sandbox", "bubblewrap");
  }, INSTALL_MAX_MS);
  afterAll(() => server.end());
  return () => server;
}

async function finished(server: SnakemakeServer) {
  const { run, workspace } = await server.workspaceOf(() => server.begin({ files: FILES }));
  expect(await server.client.ended(run)).toMatchObject({ status: "finished" });
  return { run, workspace };
}

interface Plan {
  readonly jobs: readonly { readonly key: string; readonly verdict: string; readonly kind: string }[];
}

async function planOf(server: SnakemakeServer, run: string, body: object): Promise<Plan> {
  const answer = await server.client.call("POST", `workflows/${run}/restart-plan`, JSON.stringify(body));
  expect(answer).toMatchObject({ status: 200 });
  return answer.body as unknown as Plan;
}

async function refusalOf(server: SnakemakeServer, run: string): Promise<string> {
  const { status, body } = await server.client.call("POST", `workflows/${run}/restart-plan`, "{}");
  expect(status).toBe(409);
  return body["message"] as string;
}

/** Returns the processes of dry runs of this server. */
function dryRuns(folder: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && isDryRun(pid, folder));
}

function isDryRun(pid: string, folder: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return words.includes("--dry-run") && readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
  } catch {
    return false; // It has ended.
  }
}

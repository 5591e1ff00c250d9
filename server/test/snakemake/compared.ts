import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SNAKEMAKES, snakemakeProgram } from "../support/engines/snakemake.ts";
import { type Case, caseOf } from "./cases/case.ts";
import { CODE } from "./cases/code.ts";
import { INPUTS } from "./cases/inputs.ts";
import { OUTPUTS } from "./cases/outputs.ts";
import { PLACES } from "./cases/places.ts";
import { RESOURCES, RETRIES } from "./cases/resources.ts";
import { checksums, plainRun, wildcardsOf } from "./plain.ts";
import { type JobLog, SnakemakeServer } from "./snakemake-server.ts";

const INSTALL_MAX_MS = 300_000;
const CASE_MAX_MS = 180_000;
const CORES = 2;
const CASES = [caseOf([INPUTS, OUTPUTS, RESOURCES]), caseOf([RETRIES]), CODE, PLACES];

/** Runs every case here and with plain Snakemake of the same release. */
export function compareWithPlain(version: (typeof SNAKEMAKES)[number]): void {
  describe(
    `Snakemake ${version} leaves the same files and runs the same jobs`,
    { timeout: CASE_MAX_MS },
    () => {
      let server: SnakemakeServer;
      let program: string;

      beforeAll(async () => {
        program = await snakemakeProgram(version);
        server = await SnakemakeServer.start(program, CORES);
      }, INSTALL_MAX_MS);
      afterAll(() => server.end());

      test.each(CASES)("with $name", (one) => compared(server, program, one));
    },
  );
}

async function compared(server: SnakemakeServer, program: string, one: Case): Promise<void> {
  const { run, workspace } = await server.workspaceOf(() => server.begin(one));
  const [plain, { status }] = await Promise.all([plainRun(program, one, CORES), server.client.ended(run)]);
  const { engine, jobs } = await server.logsOf(run);
  expect([status, engine]).toEqual(["finished", expect.stringContaining("(100%) done")]);
  expect(jobsOf(jobs)).toEqual(plain.jobs);
  const { "report.html": report, ...left } = checksums(workspace);
  expect(report).toBeDefined();
  const unlike = new Set(one.unlike);
  const comparable = (files: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(files).map(([name, sum]) => [name, unlike.has(name) ? "" : sum]));
  expect(comparable(left)).toEqual(comparable(plain.files));
}

/** Returns the jobs requested by Snakemake, with the jobs of a group listed individually. */
function jobsOf(jobs: readonly JobLog[]): readonly string[] {
  return jobs
    .filter(({ job_name: name }) => name !== "snakemake" && name !== "report")
    .flatMap(({ job_name: name, cmd }) => (cmd.startsWith("group: ") ? membersOf(cmd) : [keyOf(name)]))
    .toSorted();
}

function membersOf(cmd: string): readonly string[] {
  return cmd
    .replace(/^group: /, "")
    .split(", ")
    .map((key) => (key.endsWith("]") ? key : `${key}[]`));
}

function keyOf(name: string): string {
  const [, rule, wildcards] = /^(\S+)(?: \((.*)\))?$/s.exec(name)!;
  return `${rule}[${wildcardsOf(wildcards)}]`;
}

import { expect, test } from "vitest";
import { SOME_RUN } from "#engines/contract-suite";
import type { EngineInput, PreviousJob } from "#engines/engine";
import { createDryRun } from "#engines/snakemake/dry-run";
import type { JobEnd } from "#workflow/job/job";

const dryRun = createDryRun({
  program: "/opt/snake make",
  plugin: { "__init__.py": "# plugin" },
  maxThreads: 2,
});

const SPECIFICATION: EngineInput["specification"] = {
  workflow: { type: "snakemake", file: "Snakefile" },
  inputs: { parameters: { n: 1 } },
};
const FAILED: PreviousJob = {
  id: "1",
  key: "fit",
  status: "failed",
  reason: "exited",
  stamps: null,
  imageDigest: null,
};
const INPUT: EngineInput = {
  specification: SPECIFICATION,
  parameters: { n: 2 },
  options: {},
  model: { config: null },
  run: SOME_RUN,
  restart: {
    fresh: false,
    fromStep: null,
    previous: {
      name: "w.1",
      specification: SPECIFICATION,
      parameters: {},
      options: {},
      inputs: null,
      hasExternalChange: false,
      stamps: null,
      jobs: [FAILED],
    },
  },
};
const END: JobEnd = { reason: "exited", exitCode: 0, startedAtMs: 1, endedAtMs: 2 };

const readLines = (lines: readonly string[], end: Partial<JobEnd> = {}) =>
  dryRun.read(INPUT, { end: { ...END, ...end }, text: lines.join("\n") });

test("a dry run reads the workspace, has the files that it needs, and is bounded in time", () => {
  const { job, files } = dryRun.job(INPUT);
  expect(job).toMatchObject({
    writable: [".snakemake"],
    limits: { timeMs: 60_000 },
    resources: { cores: 0 },
  });
  expect(job.command).toMatchObject({
    script: expect.stringMatching(/^exec '\/opt\/snake make' .*--dry-run --rerun-incomplete$/m),
  });
  expect(files).toEqual({ "reprise-snakemake-plugin-__init__.py": "# plugin" });
  const configured = dryRun.job({ ...INPUT, model: { config: { n: 1 } } });
  expect(configured.files).toHaveProperty(["reprise-snakemake-config.json"], '{\n  "n": 1\n}\n');
  expect(configured.job.command).toMatchObject({
    script: expect.stringContaining("--configfile"),
  });
  const fresh = dryRun.job({ ...INPUT, restart: { ...INPUT.restart!, fresh: true } });
  expect(fresh.job.command).toMatchObject({ script: expect.stringContaining("--forceall") });
});

test("the plan gives Snakemake's reasons, and beside them what the records show", () => {
  const reason = { facts: [["code-changed", null]], sentence: "Code has changed" };
  const lines = [
    "anything",
    `reprise-plan ${JSON.stringify({ kind: "job", name: "Fit", key: "fit", shown: "fit it", reason })}`,
    `reprise-plan ${JSON.stringify({ kind: "job", name: "plot", key: "plot", shown: "plot it", reason: null })}`,
    "reprise-plan nonsense",
    'reprise-plan {"kind":"end","may_grow":true}',
  ];
  expect(readLines(lines)).toMatchObject({
    isComplete: false,
    jobs: [
      {
        key: "fit",
        name: "Fit",
        command: "fit it",
        verdict: "runs",
        decision: { kind: "code-changed", sentence: "Snakemake: Code has changed." },
        differences: [
          { field: "status", before: "failed", now: "finished" },
          { field: "parameters.n", before: 1, now: 2 },
        ],
      },
      { key: "plot", verdict: "taken-over", differences: [] },
    ],
  });
});

test.each([
  ["a Snakefile that is wrong", ["SyntaxError in file Snakefile:"], { exitCode: 1 }, /code 1\.\nSyntaxError/],
  ["endless Python", [], { reason: "time-limit", exitCode: null }, /exceeded its time limit/],
  ["a dry run that was cut off", ['reprise-plan {"kind":"job"}'], {}, /dry run failed/],
  ["a workspace without Snakemake", ['reprise-plan {"kind":"new"}'], {}, /has not run in this workspace/],
  ["a Snakefile that writes", ["OSError: Read-only file system: 'a'"], { exitCode: 1 }, /changes nothing\.$/],
] as const)("%s is no plan", (_, lines, end, expected) => {
  expect(readLines(lines, end)).toEqual({ problem: expect.stringMatching(expected) });
});

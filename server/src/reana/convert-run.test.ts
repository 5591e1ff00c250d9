import { describe, expect, test } from "vitest";
import { convertJob, convertRun } from "#reana/convert-run";
import type { ReanaJob, ReanaWorkflow } from "#store/reana/reana-rows";
import type { Specification } from "#workflow/specification/specification";

const SERIAL: Specification = {
  workflow: { type: "serial", specification: { steps: [{ name: "make" }, { name: "fit" }] } },
};
const WORKFLOW: ReanaWorkflow = {
  id: "00000000-0000-4000-8000-000000000001",
  ownerId: "00000000-0000-4000-8000-000000000002",
  name: "fit",
  runMajor: 2,
  runMinor: null,
  status: "finished",
  specification: SERIAL,
  inputParameters: null,
  operationalOptions: {},
  language: "serial",
  logs: null,
  launcherUrl: null,
  workspacePath: "/var/reana/users/a/workflows/b",
  progress: { total: { total: 2, job_ids: [] }, finished: { total: 2 }, failed: "none" },
  cpuMs: 12.4,
  createdAtMs: 1000.4,
  startedAtMs: 2000,
  finishedAtMs: 3000,
  stoppedAtMs: null,
};

describe("convertRun", () => {
  test("a finished workflow has its numbers, times and counts", () => {
    expect(convertRun(WORKFLOW)).toMatchObject({
      run: { name: "fit", runMajor: 2, runMinor: 0, language: "serial", createdAtMs: 1000 },
      end: {
        status: "finished",
        inputParameters: {},
        jobsTotal: 2,
        jobsFinished: 2,
        jobsFailed: 0,
        cpuMs: 12,
        startedAtMs: 2000,
        finishedAtMs: 3000,
        stoppedAtMs: null,
      },
    });
  });

  test.each([
    ["by its own column", { stoppedAtMs: 4000, finishedAtMs: null }, 4000],
    ["by the end, in versions without that column", { stoppedAtMs: null, finishedAtMs: 3500 }, 3500],
  ])("a stopped workflow has the time of its stop %s", (_how, times, stoppedAtMs) => {
    const converted = convertRun({ ...WORKFLOW, status: "stopped", ...times });
    expect(converted).toMatchObject({ end: { finishedAtMs: null, stoppedAtMs } });
  });

  test("a workflow that was never started has no end", () => {
    expect(convertRun({ ...WORKFLOW, status: "created" })).toMatchObject({ end: undefined });
  });

  test.each<[reason: RegExp, change: Partial<ReanaWorkflow>]>([
    [/has not ended yet/, { status: "queued" }],
    [/has not ended yet/, { status: "pending" }],
    [/has not ended yet/, { status: "running" }],
    [/status is "paused"/, { status: "paused" }],
    [/name "a\.b"/, { name: "a.b" }],
    [/no run number/, { runMajor: null }],
    [/no specification/, { specification: null }],
    [/no specification/, { specification: { workflow: { type: "luigi" } } }],
  ])("left out: %s (%o)", (reason, change) => {
    expect(convertRun({ ...WORKFLOW, ...change })).toEqual({ reason: expect.stringMatching(reason) });
  });
});

describe("convertJob", () => {
  const JOB: ReanaJob = {
    id: "00000000-0000-4000-8000-000000000003",
    workflowId: WORKFLOW.id,
    status: "finished",
    name: "fit",
    command: "python fit.py",
    image: "docker.io/library/python:3",
    computeBackend: "Kubernetes",
    outsideId: "reana-run-job-1",
    logBytes: null,
    createdAtMs: 1000,
    startedAtMs: null,
    finishedAtMs: null,
  };
  const place = { backend: "Local", hostId: null };

  test("a job of a serial workflow belongs to the node of its step", () => {
    expect(convertJob(JOB, SERIAL, place)).toMatchObject({
      name: "fit",
      node: "1",
      command: "python fit.py",
    });
  });

  test.each([
    ["finished", "finished"],
    ["failed", "failed"],
    ["running", "stopped"],
    ["created", "stopped"],
    ["stopped", "stopped"],
  ])("the status %s is %s", (status, expected) => {
    expect(convertJob({ ...JOB, status }, SERIAL, place)).toMatchObject({ status: expected });
  });

  test("a job of REANA without name and command has empty ones", () => {
    const cwl: Specification = { workflow: { type: "cwl" } };
    const converted = convertJob({ ...JOB, name: null, command: null }, cwl, place);
    expect(converted).toMatchObject({ name: "", node: "", command: "" });
  });
});

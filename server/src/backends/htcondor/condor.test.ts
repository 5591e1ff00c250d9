import { describe, expect, test } from "vitest";
import { BackendAwayError } from "#backends/backend";
import { jobOf } from "#backends/backend-fixture";
import {
  type JobAd,
  listedJobs,
  machinesIn,
  parseAds,
  scheddIn,
  scheddOf,
} from "#backends/htcondor/condor-ads";
import { maybeOwnTimeMs, submitText } from "#backends/htcondor/describe";
import { HOST_ENVIRONMENT } from "#backends/process/slots/host-environment";
import type { Job } from "#workflow/job/job";

const linesOf = (change: Partial<Job>, orderFile = "/r/order") =>
  submitText({
    name: "reprise-1",
    job: jobOf("fit", change),
    workspaceFolder: "/w",
    orderFile,
    saidFile: "/r/said",
  }).split("\n");
const withOptions = (options: Readonly<Record<string, string | number>>) =>
  linesOf({ backend: { name: "htcondorcern", options } });

describe("what HTCondor is told about a job", () => {
  test("a plain job asks for one hour, as with REANA, and for nothing else", () => {
    expect(linesOf({})).toEqual([
      "universe = vanilla",
      "batch_name = reprise-1",
      "description = n",
      "executable = /bin/sh",
      `arguments = "-c 'exec /bin/sh /r/order >> /r/said 2>&1'"`,
      `environment = "HTCONDOR_JOB_ID=$(ClusterId).$(ProcId) PATH=${HOST_ENVIRONMENT.PATH} LANG=C.UTF-8"`,
      "transfer_executable = false",
      "should_transfer_files = YES",
      "transfer_output_files =",
      "notification = never",
      "periodic_remove = JobStatus == 5 && NumJobStarts > 0 && time() - EnteredCurrentStatus > 86400",
      "+MaxRuntime = 3600",
      "queue",
      "",
    ]);
  });

  test("REANA's words and the limits of a step", () => {
    const options = {
      htcondor_max_runtime: "longlunch",
      htcondor_accounting_group: "group_u_CMS.u_zh.users",
      htcondor_request_cpus: "4",
      htcondor_request_memory: "2 GB",
      htcondor_request_disk: "1000000",
      htcondor_requirements: 'OpSysAndVer =?= "AlmaLinux9"',
    };
    expect(withOptions(options).slice(-9)).toEqual([
      "request_cpus = 4",
      "request_memory = 2 GB",
      "request_disk = 1000000",
      "+MaxRuntime = 7200",
      '+JobFlavour = "longlunch"',
      "accounting_group = group_u_CMS.u_zh.users",
      'requirements = OpSysAndVer =?= "AlmaLinux9"',
      "queue",
      "",
    ]);
    const limits = { timeMs: 90_500, memoryBytes: 2 ** 30 + 1, cores: 1.5 };
    expect(linesOf({ limits })).toEqual(
      expect.arrayContaining(["request_cpus = 2", "request_memory = 1025 MB", "+MaxRuntime = 91"]),
    );
  });

  test("the GPUs of a step", () => {
    expect(linesOf({ resources: { cores: 1, memoryBytes: 0, gpus: 2 } })).toContain("request_gpus = 2");
    expect(linesOf({}).join()).not.toContain("gpus");
  });

  test("no path or name begins a macro or leaves its quotes", () => {
    const lines = linesOf({ name: "$ENV(HOME)\nqueue 9\\" }, `/r/it's "$(x)"/order`);
    expect(lines).toContain(
      String.raw`arguments = "-c 'exec /bin/sh ''/r/it''\''''s ""$(DOLLAR)(x)""/order'' >> /r/said 2>&1'"`,
    );
    expect(lines.filter((line) => line.startsWith("queue"))).toEqual(["queue"]);
    expect(lines[2]).toMatch(/^description = \$\(DOLLAR\)ENV\(HOME\).*[^\\]$/);
  });

  test.each([
    [
      { htcondor_max_runtime: "soon" },
      'htcondor_max_runtime is "soon": it must be a number of seconds, or a',
    ],
    [{ htcondor_max_runtime: 0 }, "htcondor_max_runtime is 0"],
    [{ htcondor_accounting_group: "a b" }, "it must be the name of a group"],
    [{ htcondor_request_cpus: "2.5" }, "it must be a whole number above 0"],
    [{ htcondor_request_memory: "much" }, "it must be an amount such as 256 MB or 2 GB"],
    [{ htcondor_requirements: "true\nqueue 9" }, "it must be one line without $ and \\"],
    [{ htcondor_requirements: "$ENV(HOME)" }, "it must be one line without $ and \\"],
  ])("%j is refused", (options, sentence) => {
    expect(() => withOptions(options)).toThrow(sentence);
  });

  test.each([
    ["espresso", 1200],
    ["nextweek", 604_800],
    [90, 90],
    ["soon", undefined],
  ])("the time %s is %j seconds", (htcondor_max_runtime, seconds) => {
    const backend = { name: "htcondor", options: { htcondor_max_runtime } };
    expect(maybeOwnTimeMs({ backend })).toBe(seconds === undefined ? undefined : seconds * 1000);
  });
});

/** Recorded with HTCondor 23.9.6. */
const QUEUE = `[
{
  "ClusterId": 3,
  "GlobalJobId": "reprise-test@#3.0#1795789427",
  "JobBatchName": "reprise-c",
  "JobStatus": 1,
  "LastRejMatchReason": "no match found ",
  "NumJobStarts": 0,
  "ProcId": 0
}
,
{
  "ClusterId": 4,
  "GlobalJobId": "reprise-test@#4.0#1795789427",
  "HoldReason": "Error from slot1_1@localhost: Failed to execute '\\/bin\\/shx': (errno=2: 'No such file or directory')",
  "HoldReasonCode": 6,
  "JobBatchName": "reprise-d",
  "JobStatus": 5,
  "NumJobStarts": 1,
  "ProcId": 0
}
]
`;
const HISTORY = `[
{
  "ClusterId": 2,
  "GlobalJobId": "reprise-test@#2.0#1795789422",
  "JobBatchName": "reprise-b",
  "JobStatus": 3,
  "NumJobStarts": 1,
  "ProcId": 0,
  "RemoveReason": "via condor_rm (by user reprise)"
}
]
`;

describe("what HTCondor says", () => {
  test("the jobs of a queue and of the history", () => {
    const [queue, history] = [parseAds("condor_q", QUEUE), parseAds("condor_history", HISTORY)];
    expect(scheddOf(queue)).toBe("reprise-test@");
    expect(Object.fromEntries(listedJobs(queue, history))).toEqual({
      "reprise-c": [
        {
          outsideId: "3.0",
          phase: "waiting",
          sentence:
            "HTCondor has no machine for the job: no match found (`condor_q -better-analyze 3.0` explains it)",
        },
      ],
      "reprise-d": [
        {
          outsideId: "4.0",
          phase: "over",
          sentence:
            "HTCondor holds the job: Error from slot1_1@localhost: Failed to execute '/bin/shx': (errno=2: 'No such file or directory').",
        },
      ],
      "reprise-b": [
        {
          outsideId: "2.0",
          phase: "over",
          sentence: "HTCondor removed the job: via condor_rm (by user reprise).",
        },
      ],
    });
  });

  test("an empty queue, an empty history, and what is neither", () => {
    expect([parseAds("condor_q", "\n"), parseAds("condor_history", "[\n]\n")]).toEqual([[], []]);
    expect(scheddOf([])).toBeUndefined();
    expect(() => parseAds("condor_q", "Welcome!\n[\n]\n")).toThrow(BackendAwayError);
    const table =
      "\n\n-- Schedd: reprise-test@ : <127.0.0.1:33341?... @ 11/27/26 14:38:57\nTotal for query: 1 jobs\n";
    expect([scheddIn(table), scheddIn("")]).toEqual(["reprise-test@", undefined]);
  });

  test.each<[string, Partial<JobAd>, string, string]>([
    ["idle", { JobStatus: 1 }, "waiting", "has not looked for a machine"],
    ["idle again, after its node failed", { JobStatus: 1, NumJobStarts: 1 }, "waiting", "has not looked"],
    ["running", { JobStatus: 2 }, "active", "runs the job"],
    ["being removed, and still on its node", { JobStatus: 3 }, "active", "runs the job"],
    ["completed", { JobStatus: 4 }, "over", "the script ended"],
    [
      "held before its start",
      { JobStatus: 5, HoldReason: "via condor_hold (by user ann)" },
      "waiting",
      "holds the job: via condor_hold (by user ann) (`condor_release 7.0` frees it, `condor_rm 7.0` or a stop of the run ends it)",
    ],
    ["sending its output", { JobStatus: 6 }, "active", "runs the job"],
    ["suspended", { JobStatus: 7 }, "active", "runs the job"],
  ])("a job that is %s", (_, change, phase, sentence) => {
    const ad = { ClusterId: 7, ProcId: 0, JobBatchName: "reprise-x", GlobalJobId: "s#7.0#1", JobStatus: 1 };
    const [listed] = listedJobs([{ ...ad, ...change }]).get("reprise-x")!;
    expect(listed).toMatchObject({ phase, sentence: expect.stringContaining(sentence) });
  });

  test("the responding machines, by both names", () => {
    expect([...machinesIn("localhost vm\nb.example b\nlocalhost vm\nold undefined\n")]).toEqual([
      "localhost",
      "vm",
      "b.example",
      "b",
      "old",
    ]);
  });
});

import { beforeEach, describe, expect, test } from "vitest";
import { filesOfJobs, jobLogsOf, jobLogsOfAllHosts, type OtherHost } from "#app/jobs/job-logs";
import type { Backend } from "#backends/backend";
import { backendsOf } from "#backends/backends";
import { isUnreadable, type JobLogs, type LogAddress } from "#operations/stored-logs";

/** Logs on this host by job id: a log may be empty. A job without an entry has no files here. */
let here: Map<string, string>;
let removed: { readonly host: string; readonly addresses: readonly LogAddress[] }[];
let host: OtherHost | undefined;
let logs: JobLogs;

beforeEach(() => {
  here = new Map();
  removed = [];
  host = undefined;
  const backends = backendsOf([
    {
      name: "Local",
      capabilities: { computeBackends: [] },
      readLog: async (id: string) => Buffer.from(here.get(id) ?? ""),
      logSize: async (id: string) => here.get(id)?.length ?? 0,
      export: async (id: string) => (here.has(id) ? [{ path: "record", content: "" }] : []),
      remove: async (ids: readonly string[]) =>
        void removed.push({ host: "here", addresses: ids.map((id) => `Local/${id}` as const) }),
    } as unknown as Backend,
  ]);
  const hosts = {
    othersOf: async (addresses: readonly LogAddress[]) =>
      new Map(host ? addresses.map((address) => [address, host!] as const) : []),
    logsOn: (id: string): JobLogs => ({
      read: async () => Buffer.from(`on ${id}`),
      size: async () => id.length + 3,
      remove: async (addresses) => void removed.push({ host: id, addresses }),
    }),
  };
  logs = jobLogsOfAllHosts(jobLogsOf(backends), hosts, filesOfJobs(backends));
});

const read = async () => String(await logs.read("Local/a", 0, 100));

test("a log is read where the job ran", async () => {
  here.set("a", "mine");
  expect([await read(), await logs.size("Local/a")]).toEqual(["mine", 4]);
  host = { id: "there", name: "node7", isLost: false };
  expect([await read(), await logs.size("Local/a")]).toEqual(["on there", 8]);
  await logs.remove(["Local/a"]);
  expect(removed).toEqual([{ host: "there", addresses: ["Local/a"] }]);
});

describe.each([
  ["was declared lost", "node7", "the host node7 (there), which has been declared lost."],
  ["has left the database", null, "the host there, which has left for good."],
])("the log of a job after its host %s", (_, name, ending) => {
  beforeEach(() => (host = { id: "there", name, isLost: true }));

  test("is gone, with the name of the host", async () => {
    const sentence = `The log of this job is gone: it was on ${ending}`;
    for (const ask of [read, () => logs.size("Local/a")]) {
      const error = await ask().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ kind: "absent", message: sentence });
      expect(isUnreadable(error)).toBe(true);
    }
  });

  test("is here after a restore, even an empty log", async () => {
    here.set("a", "restored");
    expect([await read(), await logs.size("Local/a")]).toEqual(["restored", 8]);
    here.set("a", "");
    expect([await read(), await logs.size("Local/a")]).toEqual(["", 0]);
  });

  test("is removed here without a question to the host", async () => {
    await logs.remove(["Local/a"]);
    expect(removed).toEqual([{ host: "here", addresses: ["Local/a"] }]);
  });
});

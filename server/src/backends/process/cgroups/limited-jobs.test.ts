import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { findCgroups } from "#backends/process/cgroups/find-cgroups";
import { type JobGroups, openJobGroups } from "#backends/process/cgroups/job-groups";
import { type LocalFixture, processesOf, withLocal } from "#backends/local/local-fixture";
import { systemRandom } from "#plumbing/ids";
import { describeUnless, testUnless } from "#plumbing/needs-suite";

const MIB = 2 ** 20;
const FOUND = findCgroups();
/** Returns why tests of a controller are skipped. Undefined if the kernel lets this user set its limits. */
function missing(controller: string): string | undefined {
  if ("problem" in FOUND) return `it needs control groups: ${FOUND.problem}`;
  return controller in FOUND.parents ? undefined : `it needs the ${controller} controller of control groups`;
}

/**
 * Skipped on machines without usable control groups for the user of the tests: `find-cgroups.test.ts` runs
 * everywhere.
 */
describe("limits enforced by the kernel", { concurrent: true }, () => {
  const open = (local: LocalFixture, hostId: string, maxProcesses?: number) => {
    const groups = "problem" in FOUND ? undefined : openJobGroups(FOUND, hostId, { maxProcesses });
    return { groups: groups!, backend: local.open({ hostId, groups, maxProcesses }) };
  };
  const foldersOf = (groups: JobGroups, id: string) => {
    const words = groups.make(id, { memoryBytes: MIB, cores: 1 })!;
    groups.remove(id);
    return words.slice(2).map((file) => path.dirname(file));
  };

  testUnless(missing("memory"))(
    "a job that takes more memory than it may ends with that reason, however fast it was",
    withLocal(async (local) => {
      const { backend, groups } = open(local, systemRandom.uuid());
      const script = "(x=$(head -c 99999999 /dev/zero | tr '\\0' x)); exit 3";
      const { id, end } = await local.run(backend, script, { limits: { memoryBytes: 40 * MIB } });
      expect(end).toMatchObject({
        reason: "out-of-memory",
        detail: expect.stringMatching(/^Out of memory: used \d+(\.\d+)? MiB of 40 MiB\.$/),
      });
      expect(end.usage!.peakBytes).toBeGreaterThan(39 * MIB);
      // The keeper may see the kill first. In this case the keeper ends the job, and its last measurement is
      // the processor time.
      expect(end.usage!.sampled ?? []).not.toContain("peakBytes");
      expect(foldersOf(groups, id).some((folder) => existsSync(folder))).toBe(false);
    }),
  );

  describeUnless(missing("memory"))(
    "a job ends with that reason if the kernel has killed one of its processes:",
    () => {
      test.each([
        ["another waits", "sleep 1000"],
        ["the command succeeds", "true"],
      ])("%s", (_what, rest) =>
        withLocal(async (local) => {
          const { backend } = open(local, systemRandom.uuid());
          const script = `(x=$(head -c 99999999 /dev/zero | tr '\\0' x)); ${rest}`;
          const { end } = await local.run(backend, script, { limits: { memoryBytes: 40 * MIB } });
          expect(end).toMatchObject({
            reason: "out-of-memory",
            detail: expect.stringMatching(/^Out of memory: used \d+(\.\d+)? MiB of 40 MiB\.$/),
          });
        })(),
      );
    },
  );

  testUnless(missing("memory"))(
    "pages of files do not end a job, and its group goes with it",
    withLocal(async (local) => {
      const { backend, groups } = open(local, systemRandom.uuid());
      const script = "head -c 99999999 /dev/zero > big; cat big > copy; wc -c < copy";
      const { id, end, log } = await local.run(backend, script, { limits: { memoryBytes: 40 * MIB } });
      expect(end).toMatchObject({ reason: "exited", exitCode: 0 });
      expect(log).toBe("99999999\n");
      expect(foldersOf(groups, id).some((folder) => existsSync(folder))).toBe(false);
    }),
  );

  testUnless(missing("memory"))(
    "the group of a job goes with the last process that the job left behind",
    withLocal(async (local) => {
      const hostId = systemRandom.uuid();
      const { backend } = open(local, hostId);
      const script = "setsid sh -c 'touch there; sleep 1000' & until [ -e there ]; do sleep 0.01; done";
      const { id } = await local.run(backend, script, { limits: { memoryBytes: 40 * MIB } });
      const parents = "problem" in FOUND ? {} : FOUND.parents;
      const group = path.join(parents.memory!, `reprise-${hostId}`, id);
      expect(existsSync(group)).toBe(true);
      await backend.endLeftovers([id]);
      expect(existsSync(group)).toBe(false);
    }),
  );

  testUnless(missing("pids"))(
    "no group of the host is left after a stop",
    withLocal(async (local) => {
      const hostId = systemRandom.uuid();
      const { backend } = open(local, hostId);
      await local.run(backend, "true", { limits: { memoryBytes: 40 * MIB } });
      const parents = "problem" in FOUND ? [] : [...Object.values(FOUND.parents), FOUND.counter ?? "/"];
      const left = () => parents.filter((parent) => existsSync(path.join(parent, `reprise-${hostId}`)));
      expect(left()).not.toEqual([]);
      await backend.close();
      expect(left()).toEqual([]);
    }),
  );

  testUnless(missing("cpu"))(
    "a job uses no more cores than it may",
    withLocal(async (local) => {
      const { backend } = open(local, systemRandom.uuid());
      const script = "end=$((SECONDS + 3)); while ((SECONDS < end)); do :; done";
      const { end } = await local.run(backend, script, { limits: { cores: 0.2 } });
      expect(end).toMatchObject({ reason: "exited", exitCode: 0 });
      // 0.2 of at least 2 and at most 4 seconds, if the machine is not stopped in between.
      expect(end.usage!.cpuMs! / (end.endedAtMs - end.startedAtMs!)).toBeLessThan(0.35);
    }),
  );

  testUnless(missing("pids"))(
    "all jobs together have fewer processes than the machine can have",
    withLocal(async (local) => {
      const { backend } = open(local, systemRandom.uuid());
      const { log } = await local.run(backend, "cat /proc/self/cgroup");
      expect(log).toMatch(/reprise-[\w-]+\/slots\/slot-\w+$/m);
    }),
  );

  testUnless(missing("pids"))(
    "the kernel refuses a job many more processes than it may have, and it is ended by name",
    withLocal(async (local) => {
      const { backend } = open(local, systemRandom.uuid(), 20);
      const script = "for i in {1..200}; do (setsid sleep 1000 &); done; sleep 1000";
      const { id, end } = await local.run(backend, script);
      expect(end).toMatchObject({ reason: "process-limit" });
      expect(Number(/had (\d+) at once/.exec(end.detail!)![1])).toBeLessThanOrEqual(2 * 20 + 64);
      while ((await processesOf([id])).length > 0) await delay(20);
    }),
  );
});

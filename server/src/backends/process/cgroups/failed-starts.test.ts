import path from "node:path";
import { expect, test } from "vitest";
import type { JobGroups } from "#backends/process/cgroups/job-groups";
import type { SlotGroup } from "#backends/process/cgroups/slot-groups";
import { withLocal } from "#backends/local/local-fixture";
import { createJobSlots } from "#backends/process/slots/job-slots";
import type { Wall } from "#backends/walls/wall";

/** Groups of jobs, only noted in memory. */
function notedGroups(): { readonly groups: JobGroups; readonly there: ReadonlySet<string> } {
  const there = new Set<string>();
  const groups: JobGroups = {
    controllers: [],
    countTime: false,
    forSlot: () => undefined,
    make(id) {
      there.add(id);
      return ["", "", "/dev/null"];
    },
    remove: (id) => void there.delete(id),
    close: () => true,
  };
  return { groups, there };
}

test(
  "the groups of a job whose order cannot be made are removed",
  withLocal(async (local) => {
    const { groups, there } = notedGroups();
    const seen: string[] = [];
    const wall: Pick<Wall, "around"> = {
      around({ id }) {
        seen.push(...there);
        throw new Error(`The mount of ${id} is refused.`);
      },
    };
    const backend = local.open({ groups, wall: wall as Wall });
    const job = local.request("true", { limits: { memoryBytes: 2 ** 26 } });
    await expect(backend.submit(job)).rejects.toThrow("refused");
    expect(seen).toEqual([job.id]);
    expect([...there]).toEqual([]);
  }),
);

test(
  "the groups of a job that this server has not seen are removed if it is cancelled",
  withLocal(async (local) => {
    const { groups, there } = notedGroups();
    const job = local.request("true");
    groups.make(job.id, {});
    await local.open({ groups }).cancel(job);
    expect([...there]).toEqual([]);
  }),
);

test.each([
  ["start", Infinity, "E2BIG"],
  ["all have one", 1, "No more groups."],
])("the groups of slots that cannot %s are removed", (_what, groupsMax, problem) =>
  withLocal(async (local) => {
    const made: number[] = [];
    const removed: number[] = [];
    const makeGroup = (): SlotGroup => {
      const number = made.length;
      if (number >= groupsMax) throw new Error("No more groups.");
      made.push(number);
      // No program accepts a word of this length.
      const joinFiles = ["x".repeat(200_000)];
      return { folders: ["/"], joinFiles, timeFile: undefined, remove: () => void removed.push(number) };
    };
    const slots = createJobSlots(path.join(local.folder, "jobs"), "boot", makeGroup);
    await expect(slots.run(Buffer.from(""), () => undefined)).rejects.toThrow(problem);
    expect(made).not.toEqual([]);
    expect(removed).toEqual(made);
    slots.close();
  })(),
);

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { watchEnds } from "#backends/backend-fixture";
import { type LocalFixture, withLocal } from "#backends/local/local-fixture";

const keepers = (local: LocalFixture) => local.helpers("keeper-process.ts");

/** A keeper offers to end after ten looks, one per second. */
const IDLE_MS = 12_000;

describe("a keeper", { concurrent: true }, () => {
  test(
    "ends while its server has no jobs, and the next job has another one",
    withLocal(async (local) => {
      const backend = local.open({ maxOutputBytes: 1000 });
      await local.run(backend, "true");
      const [first] = await keepers(local);
      await expect.poll(() => keepers(local)).toEqual([]);
      const { end } = await local.run(backend, "yes");
      expect(end).toMatchObject({ reason: "output-limit" });
      expect(await keepers(local)).not.toEqual([first]);
      expect(local.reports).toEqual([]);
    }),
  );

  test(
    "stays while its server has a job",
    withLocal(async (local) => {
      const backend = local.open();
      const job = local.request("sleep 1000");
      await backend.submit(job);
      const before = await keepers(local);
      await delay(IDLE_MS);
      expect(await keepers(local)).toEqual(before);
      await backend.cancel(job);
    }),
  );

  test.each([
    ["the folder of the slots is gone", (slots: string) => rmSync(slots, { recursive: true })],
    [
      "a file is in the place of the folder of the slots",
      (slots: string) => {
        rmSync(slots, { recursive: true });
        writeFileSync(slots, "");
      },
    ],
    ["an entry of the folder is not a file", (slots: string) => mkdirSync(path.join(slots, "1"))],
  ])("ends with its server if %s", (_name, damage) =>
    withLocal(async (local) => {
      const backend = local.open();
      await local.run(backend, "true");
      expect(await keepers(local)).toHaveLength(1);
      damage(path.join(local.folder, "slots"));
      await backend.close();
      await expect.poll(() => keepers(local)).toEqual([]);
    })(),
  );

  test(
    "of a closed server stays until the last job has ended",
    withLocal(async (local) => {
      const backend = local.open();
      const job = local.request("until [ -e end ]; do sleep 0.01; done");
      await backend.submit(job);
      const before = await keepers(local);
      await backend.close();
      await delay(IDLE_MS / 4);
      expect(await keepers(local)).toEqual(before);
      writeFileSync(path.join(local.workspaceFolder, "end"), "");
      await local.ended(job.id);
      await expect.poll(() => keepers(local)).toEqual([]);
    }),
  );

  test(
    "that was killed after the server closed is replaced by the next server, which watches the job",
    withLocal(async (local) => {
      const backend = local.open();
      const job = local.request("sleep 1000", { limits: { timeMs: 4000 } });
      await backend.submit(job);
      await backend.close();
      for (const pid of await keepers(local)) process.kill(pid, "SIGKILL");
      await expect.poll(() => keepers(local)).toEqual([]);
      const next = local.open();
      const ends = watchEnds(next);
      await next.submit(job);
      expect(await ends.of(job.id)).toMatchObject({ reason: "time-limit" });
    }),
  );
});

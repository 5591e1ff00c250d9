import { beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "#plumbing/clock";
import type { Connection } from "#store/database/database";
import { forgetHosts } from "#store/hosts/forgotten-hosts";
import { declareHostLost, listHosts, registerHost, signOffHost } from "#store/hosts/hosts";
import { maybeTakeLease } from "#store/hosts/leases";
import { storeFixture } from "#store/store-fixture";
import { addRun, addUser, DIALECTS, endJob, insertJob, newJob } from "#store/store-suite";

for (const dialect of DIALECTS) {
  describe(`A host on ${dialect.name}`, () => {
    const store = storeFixture(dialect);
    let db: Connection;

    beforeEach(async () => {
      ({ db } = store);
      await registerHost(db, { id: "here", name: "here", sharedId: "s" });
      await registerHost(db, { id: "gone", name: "gone", sharedId: "s" });
    });

    const silentForMs = (ms: number) =>
      db
        .updateTable("hosts")
        .set({ seen_at: systemClock.now() - ms })
        .where("id", "=", "gone")
        .execute();
    const known = async () => (await listHosts(db)).map(({ id }) => id);

    test.each([
      ["has signed off", () => signOffHost(db, "gone")],
      ["has been silent for more than a day", () => silentForMs(86_500_000)],
    ])("is forgotten without runs and logs once it %s, and may return", async (_, leave) => {
      expect(await forgetHosts(db, "s")).toBe(0);
      await leave();
      expect(await forgetHosts(db, "s")).toBe(1);
      expect(await known()).toEqual(["here"]);
      await registerHost(db, { id: "gone", name: "gone", sharedId: "s" });
      expect(await known()).toEqual(["gone", "here"]);
    });

    test("is kept during a day of silence, and by servers of another folder", async () => {
      await silentForMs(86_300_000);
      expect(await forgetHosts(db, "s")).toBe(0);
      await signOffHost(db, "gone");
      expect(await forgetHosts(db, "other")).toBe(0);
    });

    test("with a live run is kept", async () => {
      const { id } = await addRun(db, (await addUser(db)).id, { status: "running" });
      await maybeTakeLease(db, id, "gone");
      await signOffHost(db, "gone");
      expect(await forgetHosts(db, "s")).toBe(0);
      await maybeTakeLease(db, id, "here");
      expect(await forgetHosts(db, "s")).toBe(1);
    });

    test("with the log of a job is kept, even after a declaration of loss", async () => {
      const { id } = await addRun(db, (await addUser(db)).id, { status: "running" });
      const job = newJob(id, 0, { hostId: "gone" });
      await insertJob(db, job);
      await endJob(db, job.id, { reason: "exited", exitCode: 0, startedAtMs: 1, endedAtMs: 2 }, 1);
      await signOffHost(db, "gone");
      await declareHostLost(db, "gone");
      expect(await forgetHosts(db, "s")).toBe(0);
    });
  });
}

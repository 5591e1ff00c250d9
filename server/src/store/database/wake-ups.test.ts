import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { transaction } from "#store/database/database";
import { addUser, DIALECTS } from "#store/store-suite";
import { storeFixture } from "#store/store-fixture";
import { findUsers } from "#store/users/users";
import { listen, notify, type StopListening, type WakeUp } from "#store/database/wake-ups";

const QUEUED: WakeUp = { kind: "run-queued" };
const stop = (runId: string): WakeUp => ({ kind: "stop-requested", runId });

for (const dialect of DIALECTS) {
  describe(`Wake-ups on ${dialect.name}`, () => {
    const store = storeFixture(dialect);
    let heard: WakeUp[];
    let stopListening: StopListening;

    beforeEach(async () => {
      heard = [];
      stopListening = listen(store.db, {
        hear: (wakeUp) => void heard.push(wakeUp),
        afterGap: () => undefined,
      });
      // A listener may have to connect first.
      await until(async () => {
        await notify(store.db, stop("are you there?"));
        return heard.length > 0;
      });
      await said("begin");
      heard.length = 0;
    });

    afterEach(() => stopListening());

    /** Sends a mark and waits for it: all earlier wake-ups have been heard by the time the mark arrives. */
    async function said(mark: string): Promise<void> {
      await notify(store.db, stop(mark));
      await until(async () => heard.some((wakeUp) => "runId" in wakeUp && wakeUp.runId === mark));
    }

    test("are heard unchanged, in order", async () => {
      await notify(store.db, QUEUED);
      await notify(store.db, stop("w1"));
      await said("end");
      expect(heard).toEqual([QUEUED, stop("w1"), stop("end")]);
    });

    test("are heard after the commit of the transaction, with visible changes", async () => {
      const { promise: written, resolve: tellWritten } = Promise.withResolvers<void>();
      const { promise: mayCommit, resolve: letCommit } = Promise.withResolvers<void>();
      const writing = transaction(store.db, async (connection) => {
        await addUser(connection);
        await notify(connection, QUEUED);
        tellWritten();
        await mayCommit;
      });
      await written;
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(heard).toEqual([]);
      letCommit();
      await until(async () => heard.length > 0);
      expect(heard).toEqual([QUEUED]);
      expect(await findUsers(store.db, {})).toHaveLength(1);
      await writing;
    });

    test("sent beside an open transaction do not release those sent inside it", async () => {
      const { promise: mayCommit, resolve: letCommit } = Promise.withResolvers<void>();
      const { promise: written, resolve: tellWritten } = Promise.withResolvers<void>();
      const writing = transaction(store.db, async (connection) => {
        await notify(connection, QUEUED);
        tellWritten();
        await mayCommit;
      });
      await written;
      await said("beside it");
      expect(heard).toEqual([stop("beside it")]);
      letCommit();
      await writing;
      await said("end");
      expect(heard).toEqual([stop("beside it"), QUEUED, stop("end")]);
    });

    test("of a transaction that was rolled back are never heard", async () => {
      const failing = transaction(store.db, async (connection) => {
        await notify(connection, QUEUED);
        throw new Error("on purpose");
      });
      await expect(failing).rejects.toThrow("on purpose");
      await said("end");
      expect(heard).toEqual([stop("end")]);
    });

    test("are not heard after a listener has stopped", async () => {
      const others: WakeUp[] = [];
      const leave = listen(store.db, {
        hear: (wakeUp) => void others.push(wakeUp),
        afterGap: () => undefined,
      });
      await until(async () => {
        await notify(store.db, QUEUED);
        return others.length > 0;
      });
      await leave();
      others.length = 0;
      await said("end");
      expect(others).toEqual([]);
    });
  });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

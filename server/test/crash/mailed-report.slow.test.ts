import { afterAll, expect, test } from "vitest";
import { type CrashPoint, REPORT_CRASH_POINTS } from "#plumbing/crash-points";
import { openDatabaseOf } from "../support/database.ts";
import { openSmtpReceiver } from "../support/fakes/smtp-receiver.ts";
import { client, type EndedEarly, startRealServer, temporaryFolder } from "../support/real-server.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const POINTS = Object.keys(REPORT_CRASH_POINTS) as CrashPoint[];
const smtp = await openSmtpReceiver();
afterAll(() => smtp.close());

/** Sets when the next report is due. Returns when it was due before. */
async function makeDue(folder: string): Promise<number> {
  const db = await openDatabaseOf(folder);
  const { due_at } = await db.selectFrom("report_schedules").select("due_at").executeTakeFirstOrThrow();
  await db.updateTable("report_schedules").set({ due_at: 1 }).execute();
  await db.destroy();
  return due_at;
}

/** Kills the server that mails the daily report, at each of its steps. */
test.each(POINTS)(
  "a server that is killed at %s leaves the report for an hour, and no day without one",
  async (point) => {
    smtp.received.splice(0);
    const { folder, remove } = await temporaryFolder();
    const start = (more: Record<string, string> = {}) =>
      startRealServer(folder, {
        REPRISE_MAIL_SERVER: `smtp://127.0.0.1:${smtp.port}`,
        REPRISE_MAIL_FROM: "reprise@example.org",
        REPRISE_MAIL_REPORT: "daily",
        ...more,
      });
    const first = await start();
    const { body } = await client(first.url).call("POST", "users", undefined, "&email=boss@example.org");
    await client(first.url).call("PUT", `admin/users/${String(body["id_"])}/admin`);
    // A server that stops finishes its look at the schedule.
    await first.stop();
    expect((await makeDue(folder)) % DAY_MS).toBe(0);
    const killed = start({ CRASH_AT: `${point}:1` });
    const exit = await killed.then(({ exited }) => exited).catch((error: EndedEarly) => error.exit);
    expect(exit.signal).toBe("SIGKILL");
    const sentBefore = point === "report-claimed" ? 0 : 1;
    await (await start()).stop();
    expect(smtp.received).toHaveLength(sentBefore);
    const claimedMs = await makeDue(folder);
    expect(Date.now() + HOUR_MS - claimedMs).toBeLessThan(HOUR_MS / 2);
    await (await start()).stop();
    expect(smtp.received).toHaveLength(sentBefore + 1);
    expect(smtp.received.map(({ to }) => to)).toEqual(smtp.received.map(() => ["boss@example.org"]));
    expect(new Set(smtp.received.map(({ content }) => /<report_\S*@/.exec(content)![0])).size).toBe(1);
    expect((await makeDue(folder)) % DAY_MS).toBe(0);
    await remove();
  },
);

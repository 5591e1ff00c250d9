import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { migrate } from "#store/database/database";
import { openPostgres } from "#store/dialects/postgres";
import {
  needsPostgres,
  POSTGRES_PASSWORD,
  type PostgresServer,
  startPostgresServer,
} from "#store/dialects/postgres-server-suite";
import { client, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";

describe("while PostgreSQL is away", () => {
  let postgres: PostgresServer;
  let server: RealServer;
  let folder: string;
  let remove: (() => Promise<void>) | undefined;

  beforeEach(async (context) => {
    remove = undefined;
    needsPostgres(context);
    postgres = await startPostgresServer();
    ({ folder, remove } = await temporaryFolder());
    server = await startRealServer(folder, { REPRISE_DATABASE: postgres.url() }, "--log-to", "stderr");
  });

  afterEach(async () => {
    if (!remove) return;
    await server.stop();
    await postgres.remove();
    await remove();
  });

  async function messageAt(route: string): Promise<{ status: number; message: string }> {
    const response = await fetch(`${server.url}${route}`);
    return { status: response.status, message: ((await response.json()) as { message: string }).message };
  }

  async function untilReady(): Promise<void> {
    await expect.poll(async () => (await messageAt("/readyz")).status).toBe(200);
  }

  test("requests are refused with the reason, and the server recovers by itself", async () => {
    const me = client(server.url);
    const known = await me.create(["true"]);
    await postgres.stop("immediate");
    const AWAY = "The database is not responding, and nothing was changed. Try again in a moment.";
    expect(await messageAt("/healthz")).toEqual({ status: 200, message: "OK" });
    expect(await messageAt("/readyz")).toEqual({ status: 503, message: AWAY });
    expect(await me.call("GET", "workflows")).toEqual({
      status: 503,
      body: { message: AWAY, code: "unavailable" },
    });
    expect(await me.setStatus(known, "start")).toEqual({
      status: 503,
      body: { message: AWAY, code: "unavailable" },
    });
    expect(await me.call("GET", "users")).toEqual({
      status: 500,
      body: { message: AWAY, code: "unavailable" },
    });
    await postgres.start();
    await untilReady();
    expect(await me.status(known)).toMatchObject({ status: "created" });
    expect(server.output()).not.toContain(POSTGRES_PASSWORD);
  });

  test("the server can be stopped, and its jobs continue for the next one", async () => {
    const me = client(server.url);
    const gate = path.join(folder, "gate");
    const run = await me.create([`until [ -e ${gate} ]; do sleep 0.05; done; echo on > out.txt`]);
    await me.setStatus(run, "start");
    await expect.poll(() => me.status(run)).toMatchObject({ status: "running" });
    await postgres.stop("immediate");
    expect(await server.stop()).toBe(0);
    expect(server.output()).toContain("1 job continues");
    await postgres.start();
    server = await startRealServer(folder, { REPRISE_DATABASE: postgres.url() });
    await writeFile(gate, "");
    expect(await client(server.url).ended(run)).toMatchObject({ status: "finished" });
    expect((await client(server.url).download(run, "out.txt")).text).toBe("on\n");
  });

  test(
    "no data is lost and no job runs twice, however often the database goes away",
    { timeout: 300_000 },
    async () => {
      const me = client(server.url);
      const commands = Array.from({ length: 20 }, (_, index) => `echo ${index} >> ran.txt; sleep 0.1`);
      const runs = await Promise.all([0, 1, 2, 3].map((index) => me.create(commands, `run-${index}`)));
      for (const run of runs) await me.setStatus(run, "start");
      const outcomes: { name: string; status: number; body: Record<string, unknown> }[] = [];
      let isOver = false;
      const creating = (async () => {
        for (let index = 0; !isOver; index += 1) {
          const document = {
            workflow: { type: "serial", specification: { steps: [{ commands: ["true"] }] } },
          };
          const query = `&workflow_name=made-${index}`;
          const answer = await me.call("POST", "workflows", JSON.stringify(document), query);
          outcomes.push({ name: `made-${index}`, ...answer });
          await delay(20);
        }
      })();
      for (const [how, awayMs] of [
        ["immediate", 1500],
        ["fast", 300],
        ["immediate", 50],
      ] as const) {
        await delay(700);
        await postgres.stop(how);
        await delay(awayMs);
        await postgres.start();
        await untilReady();
      }
      for (const run of runs) expect(await me.ended(run)).toMatchObject({ status: "finished" });
      isOver = true;
      await creating;

      for (const run of runs) {
        expect((await me.download(run, "ran.txt")).text).toBe(
          commands.map((_, index) => `${index}\n`).join(""),
        );
      }
      const listed = (await me.call("GET", "workflows")).body as unknown as { name: string }[];
      const names = listed.map(({ name }) => name.replace(/\.\d+$/, ""));
      for (const { name, status, body } of outcomes) {
        const times = names.filter((one) => one === name).length;
        if (status === 201) expect(`${name} ${times}`).toBe(`${name} 1`);
        else {
          expect(status).toBe(503);
          const mayBeThere = (body["message"] as string).includes("may or may not have taken effect");
          expect(times).toBeLessThanOrEqual(mayBeThere ? 1 : 0);
        }
      }
      expect(outcomes.some(({ status }) => status === 503)).toBe(true);
      await expectCountersToBeRight();
    },
  );

  async function expectCountersToBeRight(): Promise<void> {
    const db = openPostgres(postgres.url());
    await migrate(db);
    const runs = await db.selectFrom("runs").selectAll().execute();
    const jobs = await db.selectFrom("jobs").selectAll().execute();
    const counts = await db.selectFrom("run_counts").selectAll().where("total", "!=", 0).execute();
    await db.destroy();
    const groups = Map.groupBy(runs, (row) => row.status);
    expect(new Map(counts.map((row) => [row.status, row.total]))).toEqual(
      new Map([...groups].map(([status, rows]) => [status, rows.length])),
    );
    for (const row of runs) {
      const finished = jobs.filter((job) => job.run_id === row.id && job.status === "finished").length;
      expect([row.jobs_finished, row.jobs_running, row.jobs_failed]).toEqual([finished, 0, 0]);
    }
  }
});

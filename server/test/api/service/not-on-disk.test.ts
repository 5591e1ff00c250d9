import { fdatasync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrate } from "#store/database/database";
import { openSqlite } from "#store/dialects/sqlite";
import { type ApiFixture, apiFixture } from "../../support/api-fixture.ts";

const onDisk = promisify(fdatasync);
const SPECIFICATION = { workflow: { type: "serial", specification: { steps: [{ commands: ["true"] }] } } };

describe("a server with durability full whose disk fails", () => {
  let folder: string;
  let api: ApiFixture;
  let isBroken = false;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-broken-"));
    const syncFile = async (fd: number) => {
      if (isBroken) throw Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });
      await onDisk(fd);
    };
    const db = openSqlite(path.join(folder, "store.sqlite"), "full", undefined, { syncFile });
    await migrate(db);
    api = await apiFixture({ parts: { db } });
  });

  afterAll(async () => {
    await api.close();
    await rm(folder, { recursive: true });
  });

  const create = () =>
    api.inject({
      method: "POST",
      url: `/api/workflows?access_token=${api.adminToken}`,
      payload: SPECIFICATION,
    });
  const list = () => api.inject(`/api/workflows?access_token=${api.adminToken}`);

  test("acknowledges nothing, says why, and is not ready", async () => {
    expect((await create()).statusCode).toBe(201);
    isBroken = true;
    for (const ask of [create, create, list]) {
      const reply = await ask();
      expect(reply.statusCode).toBe(503);
      expect(reply.json()).toEqual({
        message:
          "The server could not sync its disk, and refuses requests until its administrator has checked the " +
          "disk and restarted it. Check then whether this request took effect.",
        code: "unavailable",
      });
    }
    expect((await api.inject("/readyz")).statusCode).toBe(503);
    expect(api.logged.join("")).toContain("could not be synced to the disk (EIO: i/o error, fdatasync)");
  });
});

import { writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { migrate } from "#store/database/database";
import { type Migration, migrations } from "#store/migrations/index";
import { client } from "../support/real-server.ts";
import { serversForEach } from "./servers-fixture.ts";

/** Tables of a later release with the same minor version. */
const adds: Migration = async (db) => {
  await db.schema
    .createTable("labels")
    .addColumn("id", "text", (id) => id.primaryKey())
    .execute();
  for (const table of ["runs", "users", "hosts", "run_events", "run_nodes", "workspaces", "tokens"])
    await db.schema.alterTable(table).addColumn("label", "text").execute();
  await db.schema
    .alterTable("jobs")
    .addColumn("weight", "integer", (weight) => weight.notNull().defaultTo(0))
    .execute();
};

describe("a server of an older version", () => {
  const servers = serversForEach();

  test("continues with live runs after a newer server has added tables and columns, and starts again", async () => {
    const old = await servers.start("old");
    const api = client(old.url);
    const go = servers.place("go");
    const live = await api.create([`until [ -e ${go} ]; do sleep 0.1; done`, "echo made > made.txt"], "live");
    await api.setStatus(live, "start");
    await expect.poll(async () => (await api.status(live))["status"]).toBe("running");
    // Every statement of a run is prepared on the connections of the server.
    const before = await api.create(["true"], "before");
    await api.setStatus(before, "start");
    await api.ended(before);

    expect(await servers.query((db) => migrate(db, { ...migrations, "0002-adds-labels": adds }))).toEqual([
      "0002-adds-labels",
    ]);
    await writeFile(go, "");
    expect(await api.ended(live)).toMatchObject({ status: "finished" });
    const after = await api.create(["true"], "after");
    await api.setStatus(after, "start");
    expect(await api.ended(after)).toMatchObject({ status: "finished" });
    for (const route of [
      `workflows/${live}/jobs`,
      `workflows/${live}/logs`,
      "workflows",
      "you",
      "admin/hosts",
    ])
      expect([route, (await api.call("GET", route)).status]).toEqual([route, 200]);
    expect(await api.call("PUT", `workflows/${before}/status`, undefined, "&status=deleted")).toMatchObject({
      status: 200,
    });
    await old.stop();

    const [again, second] = [await servers.start("old"), await servers.start("second")];
    for (const { url } of [again, second])
      expect(await client(url).download(live, "made.txt")).toEqual({ status: 200, text: "made\n" });
  });

  test("is refused after a migration with other changes", async () => {
    const old = await servers.start("old");
    await old.stop();
    await servers.query((db) => migrate(db, { ...migrations, "0002-splits-runs": adds }));
    await expect(servers.start("old")).rejects.toThrow(
      /was written by a newer version of Reprise \(it knows 0002-splits-runs/,
    );
  });
});

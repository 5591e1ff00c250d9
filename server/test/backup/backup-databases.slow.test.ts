import path from "node:path";
import { expect, test } from "vitest";
import { makeDatabase } from "#store/dialects/postgres-databases-suite";
import { needsPostgres } from "#store/dialects/postgres-server-suite";
import { command } from "../support/command.ts";
import { client, startRealServer, temporaryFolder } from "../support/real-server.ts";

test("a backup of SQLite is restored on PostgreSQL, and the other way round", async (context) => {
  needsPostgres(context);
  const { folder, remove } = await temporaryFolder();
  const url = await makeDatabase("template1");
  const [sqlite, postgres] = [{}, { REPRISE_DATABASE: url }];

  async function reprise(environment: Record<string, string>, ...words: readonly string[]): Promise<string> {
    const typed = command(words, { environment });
    return `${await typed.ended} ${typed.stderr()}`.trim();
  }

  /** Finishes a run on a server. Returns all runs of the server with their statuses and files. */
  async function use(data: string, environment: Record<string, string>, name: string): Promise<string[]> {
    const server = await startRealServer(path.join(folder, data), environment);
    const api = client(server.url);
    const run = await api.create([`printf 'NUL \\0 %s' ${name}`], name);
    await api.upload(run, "a.txt", name);
    await api.setStatus(run, "start");
    await api.ended(run);
    const { body } = await api.call("GET", "workflows", undefined, "&verbose=true&type=batch");
    const runs = body["items"] as { id: string; name: string; status: string }[];
    const seen = await Promise.all(
      runs.map(async (one) => `${one.name} ${one.status} ${(await api.download(one.id, "a.txt")).text}`),
    );
    await server.stop();
    return seen;
  }

  try {
    const [first, second] = [path.join(folder, "first"), path.join(folder, "second")];
    expect(await use("a", sqlite, "one")).toEqual(["one.1 finished one"]);
    expect(await reprise(sqlite, "backup", first, "--data", path.join(folder, "a"))).toBe("0");
    expect(await reprise(postgres, "restore", first, "--data", path.join(folder, "b"))).toBe("0");
    const both = ["two.1 finished two", "one.1 finished one"];
    expect(await use("b", postgres, "two")).toEqual(both);
    expect(await reprise(postgres, "restore", first, "--data", path.join(folder, "other"))).toContain(
      "1 The backup was not restored: the database that REPRISE_DATABASE names holds tables of Reprise already",
    );
    expect(await reprise(postgres, "backup", second, "--data", path.join(folder, "b"))).toBe("0");
    expect(await reprise(sqlite, "restore", second, "--data", path.join(folder, "c"))).toBe("0");
    expect(await use("c", sqlite, "three")).toEqual(["three.1 finished three", ...both]);
  } finally {
    await remove();
  }
});

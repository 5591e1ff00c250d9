import { writeFile } from "node:fs/promises";
import process from "node:process";
import { beforeEach, describe, expect, test } from "vitest";
import { installCondorStandIn } from "#backends/htcondor/stand-in-fixture";
import { LEASE_MS } from "#store/hosts/hosts";
import { client, type RealServer } from "../support/real-server.ts";
import { serversForEach } from "./servers-fixture.ts";

/** A lease, and the time of a sweep on a busy machine. On a quiet machine a sweep takes at most 5 s. */
const TAKEN_OVER_MS = LEASE_MS + 10_000;

describe("a killed and a sleeping server", () => {
  const servers = serversForEach();
  const all = ["one", "two", "three"] as const;
  let one: RealServer;
  let two: RealServer;
  let three: RealServer;

  beforeEach(async () => {
    const pool = installCondorStandIn(servers.place("pool"));
    [one, two, three] = await Promise.all([
      servers.start("one", pool),
      servers.start("two", pool),
      servers.start("three", pool),
    ]);
  });

  /** Starts runs on a server while the others are drained, and waits for the first jobs. */
  async function startOn(server: RealServer, runs: readonly string[]): Promise<string[]> {
    const others = [one, two, three].filter((other) => other !== server);
    for (const other of others) await client(other.url).call("POST", "admin/drain");
    const api = client(server.url);
    const ids = await Promise.all(
      runs.map(async (name) => {
        const until = `until [ -e ${servers.place(`go-${name}`)} ]; do sleep 0.1; done`;
        const id = await api.create([`echo first >> count; ${until}`, "echo second >> count"], name);
        expect(await api.setStatus(id, "start")).toMatchObject({ status: 200 });
        return id;
      }),
    );
    for (const id of ids)
      await expect.poll(async () => (await api.download(id, "count")).text).toBe("first\n");
    for (const other of others) await client(other.url).call("DELETE", "admin/drain");
    return ids;
  }

  /** Returns who holds the runs, by the name of the server. */
  async function holders(runs: readonly string[]): Promise<readonly (string | undefined)[]> {
    const names = new Map(
      await Promise.all(all.map(async (name) => [await servers.hostId(name), name] as const)),
    );
    const rows = await servers.query((db) =>
      db.selectFrom("runs").select(["id", "held_by"]).where("id", "in", runs).execute(),
    );
    return runs.map((run) => names.get(rows.find(({ id }) => id === run)?.held_by ?? ""));
  }

  const go = (name: string) => writeFile(servers.place(`go-${name}`), "");

  async function finishedOnce(server: RealServer, run: string): Promise<void> {
    const api = client(server.url);
    expect(await api.ended(run)).toMatchObject({ status: "finished" });
    expect((await api.download(run, "count")).text).toBe("first\nsecond\n");
    const { body } = await api.call("GET", `workflows/${run}/jobs`);
    expect(body["items"]).toHaveLength(2);
  }

  test("lose their cluster runs to the third server: each command runs once, also after the wake-up", async () => {
    const killed = await startOn(one, ["a", "b", "c"]);
    const asleep = await startOn(two, ["d", "e", "f"]);
    const runs = [...killed, ...asleep];
    expect(await holders(runs)).toEqual(["one", "one", "one", "two", "two", "two"]);
    const beganAt = performance.now();
    process.kill(two.pid, "SIGSTOP");
    await one.kill();
    // Jobs end without a server.
    await Promise.all(["a", "d"].map(go));
    await expect.poll(async () => new Set(await holders(runs))).toEqual(new Set(["three"]));
    expect(performance.now() - beganAt).toBeLessThan(TAKEN_OVER_MS);
    for (const run of [killed[0]!, asleep[0]!]) await finishedOnce(three, run);

    // Jobs end while the sleeping server wakes up with stale leases.
    await Promise.all(["b", "e"].map(go));
    process.kill(two.pid, "SIGCONT");
    await Promise.all(["c", "f"].map(go));
    for (const run of runs) await finishedOnce(two, run);
    expect(await holders(runs)).toEqual(runs.map(() => "three"));
    const present = async () => {
      const { body } = await client(two.url).call("GET", "admin/hosts");
      return (body as unknown as { state: string }[]).map(({ state }) => state).toSorted();
    };
    await expect.poll(present).toEqual(["present", "present", "silent"]);

    await client(three.url).call("POST", "admin/drain");
    const later = await client(two.url).create(["echo first > count; echo second >> count", "true"]);
    await client(two.url).setStatus(later, "start");
    await finishedOnce(three, later);
    expect(await holders([later])).toEqual(["two"]);
  });
});

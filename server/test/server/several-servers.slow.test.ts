import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Connection } from "#store/database/database";
import { openPostgres } from "#store/dialects/postgres";
import { makeDatabase } from "#store/dialects/postgres-databases-suite";
import { needsPostgres } from "#store/dialects/postgres-server-suite";
import { standInForJupyter } from "../notebooks/stand-in.ts";
import { client, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";

/** Servers of one PostgreSQL database with a data folder each and one shared folder. */
let environment: Record<string, string>;
let place: (name: string) => string;
let removeFolder: () => Promise<void>;

beforeEach(needsPostgres);
beforeEach(async () => {
  environment = { REPRISE_DATABASE: await makeDatabase("template1") };
  const { folder, remove } = await temporaryFolder();
  place = (name) => path.join(folder, name);
  removeFolder = remove;
  await mkdir(place("shared"));
  await standInForJupyter(folder);
});
afterEach(() => removeFolder());

const start = (name: string, shared = "shared", ...options: string[]) =>
  startRealServer(
    place(name),
    environment,
    "--shared",
    place(shared),
    "--jupyter",
    place("jupyter-lab"),
    ...options,
  );

/** Runs a query on the database of the servers. */
async function query<Row>(work: (db: Connection) => Promise<Row>): Promise<Row> {
  const db = openPostgres(environment["REPRISE_DATABASE"]!);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** Returns the ids of the hosts with these data folders. */
const idsOfHosts = (...names: readonly string[]) =>
  Promise.all(names.map(async (name) => (await readFile(place(`${name}/host-id`), "utf8")).trim()));

const addresses = () =>
  query(async (db) => (await db.selectFrom("hosts").select("address").execute()).map((row) => row.address!));

describe("two servers of one shared folder", () => {
  let one: RealServer;
  let two: RealServer;

  beforeEach(async () => {
    [one, two] = await Promise.all([start("one"), start("two")]);
  });
  afterEach(async () => {
    await Promise.all([one, two].map((server) => server.stop()));
  });

  test("a run created on the first server and started on the second has its files, status and logs on both", async () => {
    const [first, second] = [client(one.url), client(two.url)];
    const run = await first.create(["cat word.txt; echo made > made.txt"]);
    await first.upload(run, "word.txt", "here\n");
    await second.setStatus(run, "start");
    for (const api of [first, second]) {
      expect(await api.ended(run)).toMatchObject({ status: "finished" });
      expect(await api.download(run, "made.txt")).toEqual({ status: 200, text: "made\n" });
      const files = (await api.call("GET", `workflows/${run}/workspace`)).body["items"] as { name: string }[];
      expect(files.map(({ name }) => name).toSorted()).toEqual(["made.txt", "word.txt"]);
      expect(await logsOf(api, run)).toContain("here\\\\n");
    }
    expect(await readdir(place("shared/incoming"))).toHaveLength(2);
  });

  test("a notebook of the first server is used and closed through the second", async () => {
    const [first, second] = [client(one.url), client(two.url)];
    const run = await first.create(["true"], "notebook");
    expect((await first.call("POST", `workflows/${run}/open/jupyter`, "{}")).status).toBe(200);
    const { body } = await second.call("GET", `workflows/${run}/interactive-session-secret`);
    const { url } = body as { readonly url: string };
    const signedIn = await fetch(url, { redirect: "manual" });
    const cookie = signedIn.headers.get("set-cookie")!.split(";", 1)[0]!;
    const lab = new URL(signedIn.headers.get("location")!, url);
    const seen = () => fetch(lab, { headers: { cookie } });
    await expect.poll(async () => (await seen()).status).toBe(200);
    expect(await (await seen()).json()).toMatchObject({ folder: expect.stringContaining(place("shared")) });
    expect((await second.call("POST", `workflows/${run}/close`)).status).toBe(200);
    expect((await first.call("POST", `workflows/${run}/close`)).status).toBe(404);
  });

  test("forged requests are refused at the address for servers", async () => {
    const [address] = await addresses();
    for (const body of ["", "{}", "1.AAAA", "x".repeat(2 ** 21)]) {
      const response = await fetch(`http://${address}/`, { method: "POST", body });
      expect([response.status, await response.json()]).toEqual([
        403,
        { message: "Only the servers of the shared folder may ask here." },
      ]);
    }
    expect((await fetch(`http://${address}/`)).status).toBe(403);
  });

  test("logs of a killed server are unavailable, with the name of the host, and the rest of the run is there", async () => {
    const [first, second] = [client(one.url), client(two.url)];
    await second.call("POST", "admin/drain");
    const run = await first.create(["echo here"]);
    await first.setStatus(run, "start");
    await first.ended(run);
    await one.kill();
    expect(await logsOf(second, run)).toMatch(
      /cannot be read now\. The server of the host \S+ \([\da-f-]{36}\) does not answer at 127\.0\.0\.1:\d+ .*last seen/,
    );
    const { body } = await second.call("GET", `workflows/${run}/jobs`);
    const [job] = body["items"] as { id: string; log_bytes: number | null }[];
    expect(job!.log_bytes).toBeNull();
    const log = await second.call("GET", `workflows/${run}/jobs/${job!.id}/log`);
    expect(log).toMatchObject({ status: 503, body: { message: expect.stringContaining("does not answer") } });
    const [lost] = await idsOfHosts("one");
    await query((db) => db.updateTable("hosts").set({ seen_at: 0 }).where("id", "=", lost!).execute());
    expect((await second.call("POST", `admin/hosts/${lost}/declare-lost`)).status).toBe(200);
    const gone =
      /The log of this job is gone: it was on the host \S+ \([\da-f-]{36}\), which has been declared lost\./;
    expect(await logsOf(second, run)).toMatch(gone);
    expect(await second.call("GET", `workflows/${run}/jobs/${job!.id}/log`)).toMatchObject({
      status: 404,
      body: { message: expect.stringMatching(gone) },
    });
    one = await start("one");
    expect(await logsOf(second, run)).toContain("here\\\\n");
  });
});

async function logsOf(api: ReturnType<typeof client>, run: string): Promise<string> {
  return JSON.stringify((await api.call("GET", `workflows/${run}/logs`)).body);
}

describe("a server is refused", () => {
  let one: RealServer;

  beforeEach(async () => {
    one = await start("one");
  });
  afterEach(async () => void (await one.stop()));

  test("without the shared folder, or with another one", async () => {
    await expect(startRealServer(place("two"), environment)).rejects.toThrow(
      /belongs to another shared folder than \S+\/two: that of the host .* Name the folder of that host with --shared/,
    );
    await expect(start("two", "absent")).rejects.toThrow(/absent does not exist\. Mount it/);
    await mkdir(place("other"));
    await expect(start("two", "other")).rejects.toThrow(/it has no file shared-id\. Is it mounted\?/);
    expect(await readdir(place("other"))).toEqual([]);
    await writeFile(place("other/shared-id"), "of another database\n");
    await expect(start("two", "other")).rejects.toThrow(/belongs to another shared folder than \S+\/other/);
  });

  test("with a copy of the shared folder, or of a data folder", async () => {
    await cp(place("shared"), place("copy"), { recursive: true });
    await expect(start("two", "copy")).rejects.toThrow(
      /is not the one of the host .* its server does not see a file that was just written there/,
    );
    await mkdir(place("three"));
    await cp(place("one/host-id"), place("three/host-id"));
    await expect(start("three")).rejects.toThrow(
      /is a copy of another one, whose server runs: both have the host id/,
    );
    expect((await client(one.url).call("GET", "admin/hosts")).body).toHaveLength(2);
  });

  test("after it stopped, with its own data folder alone, or with files of another database", async () => {
    await one.stop();
    await expect(startRealServer(place("one"), environment)).rejects.toThrow(
      /had the files of its runs in a shared folder before, and now has no shared folder/,
    );
    await mkdir(place("shared/workspaces/of-a-run"));
    environment["REPRISE_DATABASE"] = await makeDatabase("template1");
    await expect(start("two")).rejects.toThrow(
      /belongs to another database than the one that REPRISE_DATABASE names/,
    );
  });
});

test("a single server shares its data folder with a second server", async () => {
  const alone = await startRealServer(place("one"), environment);
  const run = await client(alone.url).create(["cat word.txt"]);
  await client(alone.url).upload(run, "word.txt", "here\n");
  await alone.stop();
  await expect(start("one")).rejects.toThrow(
    /are not in the shared folder \S+\/shared\. Share the data folder itself/,
  );
  const servers = [await start("one", "one"), await start("two", "one")];
  expect(await client(servers[1]!.url).download(run, "word.txt")).toEqual({ status: 200, text: "here\n" });
  for (const server of servers) await server.stop();
});

import { createHash } from "node:crypto";
import { readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "#plumbing/clock";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { maybeInputsOf } from "#store/runs/run-inputs";
import { requestStop } from "#store/runs/runs";
import type { Specification } from "#workflow/specification/specification";
import {
  cutAfter,
  type DataServer,
  dataServer,
  type Fault,
  refuseWith,
} from "../support/fakes/data-server.ts";
import type { FakeBackend } from "../support/fakes/fake-backend.ts";
import { addSecret, dataParts } from "../support/data-parts.ts";
import { isOver, type RunFixture } from "../support/run-fixture.ts";
import { runsOnFakeBackend } from "../support/scenarios/runs-on-fake-backend.ts";

const DATA = "1,2,3\n";
const SHA256 = createHash("sha256").update(DATA).digest("hex");

describe("a run whose inputs are addresses", () => {
  let backend: FakeBackend;
  let fixture: RunFixture;
  let data: DataServer;
  let folder: string;

  runsOnFakeBackend((opened) => void ({ backend, fixture } = opened));
  folderForEach((made) => void (folder = made));
  beforeEach(async () => void (data = await dataServer()));
  afterEach(() => data.close());

  const inputs = () => dataParts(data, folder);

  const specification = (files: readonly unknown[]): Specification =>
    ({
      inputs: { files },
      workflow: { type: "serial", specification: { steps: [{ commands: ["cat data.csv"] }] } },
    }) as Specification;

  const web = (name = "data.csv") => `${data.address}/${name}`;
  const contentOf = async (id: string, name = "data.csv") =>
    readFile(path.join(fixture.workspaces.of((await fixture.run(id)).workspaceId).folder, name), "utf8");

  /** Runs to the end, and returns the run. */
  async function ended(id: string) {
    void backend.startedJob(backend.started.length).then((job) => backend.end(job));
    return fixture.until(id, isOver);
  }

  test.each([
    ["a web server", () => web()],
    ["an S3 service", () => "s3://bucket/folder/data.csv"],
  ])("finds them in the workspace when its first job starts: from %s", async (_from, address) => {
    data.put("/data.csv", DATA);
    data.put("/bucket/folder/data.csv", DATA);
    const id = await fixture.queueSpecification(specification([address()]));
    await fixture.server(inputs()).start();
    await backend.startedJob(0);
    expect(await contentOf(id)).toBe(DATA);
    expect(await maybeInputsOf(fixture.db, id)).toMatchObject({
      files: [{ path: "data.csv", address: address(), bytes: DATA.length, sha256: SHA256 }],
    });
  });

  test("fetches unchanged content once, and content that has changed again", async () => {
    data.put("/data.csv", DATA);
    await fixture.server(inputs()).start();
    for (const expected of [DATA, DATA, "4,5,6\n"]) {
      if (expected !== DATA) data.put("/data.csv", expected);
      const id = await fixture.queueSpecification(specification([web()]));
      fixture.wake();
      expect((await ended(id)).status).toBe("finished");
      expect(await contentOf(id)).toBe(expected);
    }
    const known = data.requests.map(({ headers }) => headers["if-none-match"] !== undefined);
    expect(known).toEqual([false, true, true]);
  });

  test("gives a job a copy that it may change, and the next run gets the content as it was", async () => {
    data.put("/data.csv", DATA);
    await fixture.server(inputs()).start();
    const first = await fixture.queueSpecification(specification([web()]));
    fixture.wake();
    await backend.startedJob(0);
    const { folder: workspace } = fixture.workspaces.of((await fixture.run(first)).workspaceId);
    await writeFile(path.join(workspace, "data.csv"), "changed");
    const second = await fixture.queueSpecification(specification([web()]));
    fixture.wake();
    await backend.startedJob(1);
    expect(await contentOf(second)).toBe(DATA);
  });

  test("fetches content again that somebody has changed in the store", async () => {
    data.put("/data.csv", DATA);
    await fixture.server(inputs()).start();
    const first = await fixture.queueSpecification(specification([web()]));
    fixture.wake();
    await ended(first);
    await writeFile(path.join(folder, "sha256", SHA256.slice(0, 2), SHA256), "9,9,9\n");
    const second = await fixture.queueSpecification(specification([web()]));
    fixture.wake();
    await ended(second);
    expect(await contentOf(second)).toBe(DATA);
  });

  test.each<[string, (url: string) => unknown, Fault | undefined, string]>([
    [
      "does not exist",
      (url) => `${url}/none.csv`,
      undefined,
      "/none.csv could not be fetched: the server returned the status 404 Not Found.",
    ],
    [
      "is refused by an S3 service",
      () => "s3://bucket/data.csv",
      refuseWith(403, "AccessDenied", "Access Denied."),
      "s3://bucket/data.csv could not be fetched: AccessDenied: Access Denied (status 403).",
    ],
    [
      "has another checksum",
      (url) => ({ address: `${url}/data.csv`, sha256: "0".repeat(64) }),
      undefined,
      `/data.csv has the SHA-256 ${SHA256}, and the specification expects ${"0".repeat(64)}.`,
    ],
    [
      "needs a secret that its owner lacks",
      (url) => ({ address: `${url}/data.csv`, credentials: "lab" }),
      undefined,
      "/data.csv could not be fetched: its owner has no secret lab.",
    ],
    [
      "is on a host with a private address",
      () => "https://10.1.2.3/data.csv",
      undefined,
      "10.1.2.3 is a private or local address, and inputs there are not read.",
    ],
    [
      "is redirected to a private address",
      (url) => `${url}/data.csv`,
      (_request, reply) => {
        reply.writeHead(302, { location: "https://10.1.2.3/data.csv" }).end();
        return true;
      },
      "10.1.2.3 is a private or local address, and inputs there are not read.",
    ],
  ])(
    "fails with a sentence, and nothing in the workspace, if one of them %s",
    async (_why, bad, fault, sentence) => {
      data.put("/data.csv", DATA);
      data.put("/good.csv", DATA);
      await fixture.server(inputs()).start();
      if (fault) data.fail(fault);
      const id = await fixture.queueSpecification(specification([bad(data.address)]));
      fixture.wake();
      const run = await fixture.until(id, isOver);
      expect(run.status).toBe("failed");
      expect(run.failure).toContain(sentence);
      expect(await readdir(fixture.workspaces.of(run.workspaceId).folder)).toEqual([]);
      expect(backend.started).toEqual([]);
      expect(fixture.errors).toEqual([]);
    },
  );

  test("continues a broken download behind its last byte", async () => {
    const body = Buffer.alloc(3 << 20, "x");
    data.put("/data.csv", body);
    data.fail(cutAfter(2 << 20, body));
    const id = await fixture.queueSpecification(specification([web()]));
    await fixture.server(inputs()).start();
    await backend.startedJob(0);
    expect(await contentOf(id)).toBe(body.toString());
    expect(data.requests[1]!.headers.range).toMatch(/^bytes=[12]\d{6}-$/);
  });

  test("waits as long as a busy service asks, and says so", async () => {
    data.put("/bucket/data.csv", DATA);
    data.fail(refuseWith(503, "SlowDown", "Please reduce your request rate.", { "retry-after": "1" }));
    const id = await fixture.queueSpecification(specification(["s3://bucket/data.csv"]));
    await fixture.server(inputs()).start();
    const waiting = await fixture.until(id, ({ waitingFor }) => waitingFor !== null);
    expect(waiting.waitingFor).toBe(
      "s3://bucket/data.csv could not be fetched: SlowDown: Please reduce your request rate (status 503). " +
        "The next attempt follows in 1 s.",
    );
    expect((await ended(id)).status).toBe("finished");
  });

  test("that is stopped during a download ends at once", async () => {
    data.fail(() => true);
    const id = await fixture.queueSpecification(specification([web()]));
    const server = fixture.server(inputs());
    await server.start();
    while (data.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    await requestStop(fixture.db, id, systemClock.now());
    await server.operations.scheduler.stop(id, 0);
    expect((await fixture.until(id, isOver)).status).toBe("stopped");
  });

  test("sends the credentials to the named host alone, and gives them to no job", async () => {
    data.put("/data.csv", DATA);
    const elsewhere = data.address.replace("127.0.0.1", "localhost");
    data.fail((_request, reply) => {
      reply.writeHead(302, { location: `${elsewhere}/data.csv` }).end();
      return true;
    });
    for (const [name, value] of [
      ["lab", "ada:secret"],
      ["other", "known"],
    ] as const)
      await addSecret(fixture, name, value);
    await fixture.server(inputs()).start();
    const id = await fixture.queueSpecification(specification([{ address: web(), credentials: "lab" }]));
    fixture.wake();
    await backend.startedJob(0);
    expect(await contentOf(id)).toBe(DATA);
    const sent = data.requests.map(({ headers }) => headers.authorization);
    expect(sent).toEqual([`Basic ${Buffer.from("ada:secret").toString("base64")}`, undefined]);
    expect(backend.secrets[0]!.environment).toEqual({ other: "known" });
  });

  test("does not use content that was fetched with credentials for somebody else", async () => {
    data.put("/data.csv", DATA);
    await addSecret(fixture, "lab", "ada:secret");
    await fixture.server(inputs()).start();
    await ended(await fixture.queueSpecification(specification([{ address: web(), credentials: "lab" }])));
    data.fail(refuseWith(403, "AccessDenied", "Access Denied."));
    const id = await fixture.queueSpecification(specification([web()]), {}, await fixture.addUser());
    fixture.wake();
    expect((await fixture.until(id, isOver)).failure).toContain("status 403");
    expect(data.requests[1]!.headers["if-none-match"]).toBeUndefined();
  });

  test("refuses to replace a file of the same name that no run has fetched", async () => {
    data.put("/data.csv", DATA);
    const id = await fixture.queueSpecification(specification([web()]), { "data.csv": "mine" });
    await fixture.server(inputs()).start();
    const run = await fixture.until(id, isOver);
    expect(run.failure).toContain(
      "cannot be stored as data.csv: another file of that name is in the workspace.",
    );
    expect(await contentOf(id)).toBe("mine");
  });
});

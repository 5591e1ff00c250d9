import { createHash } from "node:crypto";
import { symlink } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "#plumbing/clock";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { maybeFirstEventOf } from "#store/events/run-events";
import { requestStop } from "#store/runs/runs";
import { OUTPUTS_PUBLISHED, OUTPUTS_UNPUBLISHED } from "#workflow/run/event-kinds";
import type { Specification } from "#workflow/specification/specification";
import { addSecret, dataParts } from "../support/data-parts.ts";
import { type DataServer, dataServer, type Fault, refuseWith } from "../support/fakes/data-server.ts";
import type { FakeBackend } from "../support/fakes/fake-backend.ts";
import { isOver, type RunFixture } from "../support/run-fixture.ts";
import { runsOnFakeBackend } from "../support/scenarios/runs-on-fake-backend.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const DENIED = refuseWith(403, "AccessDenied", "Access Denied.");
/** Lets a request pass. */
const PASS: Fault = () => false;

describe("a run whose outputs have a destination", () => {
  let backend: FakeBackend;
  let fixture: RunFixture;
  let data: DataServer;
  let folder: string;

  runsOnFakeBackend((opened) => void ({ backend, fixture } = opened));
  folderForEach((made) => void (folder = made));
  beforeEach(async () => {
    data = await dataServer();
    await addSecret(fixture, "lab", "KEY:SECRET");
  });
  afterEach(() => data.close());

  const specification = (outputs: Readonly<Record<string, unknown>> = {}): Specification =>
    ({
      outputs: {
        files: ["plot.png"],
        directories: ["tables"],
        destination: { address: "s3://lab/results", credentials: "lab" },
        ...outputs,
      },
      workflow: { type: "serial", specification: { steps: [{ commands: ["make"] }] } },
    }) as Specification;

  const FILES = { "plot.png": "plot", "tables/a b.csv": "1", "tables/ü.csv": "2", "other.txt": "no output" };

  /** Starts a run with the given files, and ends the job. */
  async function toTheEnd(given = specification(), files: Readonly<Record<string, string>> = FILES) {
    const id = await fixture.queueSpecification(given, files);
    fixture.wake();
    backend.end(await backend.startedJob(backend.started.length));
    return id;
  }

  const ended = (id: string) => fixture.until(id, isOver);
  const keys = () => [...data.objects.keys()].toSorted();

  test("finishes after the files and the manifest are stored, and records the files with checksums", async () => {
    await fixture.server(dataParts(data, folder)).start();
    const id = await toTheEnd();
    expect((await ended(id)).status).toBe("finished");
    const base = `/lab/results/${id}`;
    expect(keys()).toEqual([
      `${base}.json`,
      `${base}/plot.png`,
      `${base}/tables/a b.csv`,
      `${base}/tables/ü.csv`,
    ]);
    const files = [
      { path: "plot.png", bytes: 4, sha256: sha256("plot") },
      { path: "tables/a b.csv", bytes: 1, sha256: sha256("1") },
      { path: "tables/ü.csv", bytes: 1, sha256: sha256("2") },
    ];
    expect(JSON.parse(data.objects.get(`${base}.json`)!.body.toString())).toEqual({ run: id, files });
    expect(data.requests.at(-1)!.url).toBe(`${base}.json`);
    const event = await maybeFirstEventOf(fixture.db, id, OUTPUTS_PUBLISHED);
    expect(event!.body).toEqual({ folder: `s3:/${base}/`, manifest: `s3:/${base}.json`, files });
    expect(event!.log).toContain("Published 3 outputs (6 Bytes)");
    expect(backend.secrets[0]?.environment ?? {}).toEqual({});
  });

  test("publishes what a link to a file of the workspace leads to", async () => {
    await fixture.server(dataParts(data, folder)).start();
    const id = await fixture.queueSpecification(specification(), FILES);
    fixture.wake();
    const job = await backend.startedJob(0);
    const { folder: workspace } = fixture.workspaces.of((await fixture.run(id)).workspaceId);
    await symlink("../other.txt", path.join(workspace, "tables/link.txt"));
    backend.end(job);
    expect((await ended(id)).status).toBe("finished");
    expect(data.objects.get(`/lab/results/${id}/tables/link.txt`)!.body.toString()).toBe("no output");
  });

  test.each([
    ["out of the workspace", "/etc/hostname"],
    ["to a folder", "../tables"],
  ])("fails if an output is a link %s, and stores no manifest", async (_where, target) => {
    await fixture.server(dataParts(data, folder)).start();
    const id = await fixture.queueSpecification(specification(), FILES);
    fixture.wake();
    const job = await backend.startedJob(0);
    const { folder: workspace } = fixture.workspaces.of((await fixture.run(id)).workspaceId);
    await symlink(target, path.join(workspace, "tables/link"));
    backend.end(job);
    const run = await ended(id);
    expect(run.status).toBe("failed");
    expect(run.failure).toContain("tables/link");
    expect(keys()).not.toContain(`/lab/results/${id}.json`);
  });

  test("refused in the middle fails with the published and the missing outputs", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`tables/${index}`, `${index}`]),
    );
    // The listing and fifty files.
    data.fail(...Array.from({ length: 51 }, () => PASS), ...Array.from({ length: 60 }, () => DENIED));
    await fixture.server(dataParts(data, folder)).start();
    const id = await toTheEnd(specification(), files);
    const run = await ended(id);
    expect(run.status).toBe("failed");
    expect(run.failure).toMatch(
      /^The outputs were not published: 50 of 100 are in s3:\/\/lab\/results\/.*\/, and 50 are not\. s3:\/\/lab\/results\/\S+ could not be stored: AccessDenied: Access Denied \(status 403\)\. Continue with reprise publish-outputs \S+\.1\.$/,
    );
    const { body } = (await maybeFirstEventOf(fixture.db, id, OUTPUTS_UNPUBLISHED))!;
    const { published, missing } = body as { published: unknown[]; missing: string[] };
    expect([published.length, missing.length]).toEqual([50, 50]);
    expect(keys()).toHaveLength(50);
    expect(keys()).not.toContain(`/lab/results/${id}.json`);
  });

  test("waits and goes on while the service is busy", async () => {
    data.fail(PASS, refuseWith(503, "SlowDown", "Please reduce your request rate.", { "retry-after": "1" }));
    await fixture.server(dataParts(data, folder)).start();
    const id = await toTheEnd(specification(), { "plot.png": "plot" });
    const waiting = await fixture.until(id, ({ waitingFor }) => waitingFor !== null);
    expect(waiting.waitingFor).toContain(
      "SlowDown: Please reduce your request rate (status 503). The next attempt",
    );
    expect((await ended(id)).status).toBe("finished");
  });

  test("stopped during the uploads ends stopped", async () => {
    data.fail(PASS, () => true);
    const server = fixture.server(dataParts(data, folder));
    await server.start();
    const id = await toTheEnd(specification(), { "plot.png": "plot" });
    while (data.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    await requestStop(fixture.db, id, systemClock.now());
    await server.operations.scheduler.stop(id, 0);
    expect((await ended(id)).status).toBe("stopped");
  });

  test("fails if its owner lacks the secret", async () => {
    await fixture.server(dataParts(data, folder)).start();
    const run = await ended(
      await toTheEnd(specification({ destination: { address: "s3://lab/x", credentials: "none" } })),
    );
    expect(run.failure).toContain("The owner of the run has no secret none.");
    expect(keys()).toEqual([]);
  });

  test("stores no object after a failure", async () => {
    await fixture.server(dataParts(data, folder)).start();
    const id = await fixture.queueSpecification(specification(), FILES);
    fixture.wake();
    backend.end(await backend.startedJob(0), { exitCode: 1 });
    expect((await ended(id)).status).toBe("failed");
    expect(data.requests).toEqual([]);
  });

  test("taken over by another server during the uploads stores each file once", async () => {
    data.fail(PASS, PASS, () => true);
    const server = fixture.server(dataParts(data, folder));
    await server.start();
    const files = Object.fromEntries(
      Array.from({ length: 3 }, (_, index) => [`tables/${index}`, `${index}`]),
    );
    const id = await toTheEnd(specification(), files);
    while (keys().length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    await server.close({ stopJobs: false });
    await fixture.server(dataParts(data, folder)).start();
    expect((await ended(id)).status).toBe("finished");
    const stored = data.requests.filter(({ method }) => method === "PUT").map(({ url }) => url!);
    // The request without a reply is sent again.
    expect(stored.length).toBe(5);
    expect(new Set(stored).size).toBe(4);
  });
});

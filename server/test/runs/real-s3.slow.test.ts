import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { maybeFirstEventOf } from "#store/events/run-events";
import { maybeInputsOf } from "#store/runs/run-inputs";
import { OUTPUTS_PUBLISHED } from "#workflow/run/event-kinds";
import type { Specification } from "#workflow/specification/specification";
import { addSecret, dataParts } from "../support/data-parts.ts";
import { refuseWith } from "../support/fakes/data-server.ts";
import type { FakeBackend } from "../support/fakes/fake-backend.ts";
import { type Moto, startMoto } from "../support/moto.ts";
import { isOver, type RunFixture } from "../support/run-fixture.ts";
import { runsOnFakeBackend } from "../support/scenarios/runs-on-fake-backend.ts";

const LARGE = Buffer.from(Uint8Array.from({ length: 256 }, (_, index) => index)).toString("latin1");
const LARGE_SHA256 = createHash("sha256").update(LARGE.repeat(12_288), "latin1").digest("hex");

describe("a run with moto's S3, which checks signatures", () => {
  let backend: FakeBackend;
  let fixture: RunFixture;
  let moto: Moto;
  let folder: string;

  beforeAll(async () => void (moto = await startMoto()));
  afterAll(() => moto.close());
  runsOnFakeBackend((opened) => void ({ backend, fixture } = opened));
  folderForEach((made) => void (folder = made));
  beforeEach(async () => {
    moto.requests.length = 0;
    await addSecret(fixture, "lab", moto.keys);
    await fixture.server(dataParts(moto, folder)).start();
  });

  const specification = (inputs: readonly string[], more: object = {}, credentials = "lab"): Specification =>
    ({
      inputs: { files: inputs.map((address) => ({ address, credentials })) },
      workflow: { type: "serial", specification: { steps: [{ commands: ["true"] }] } },
      ...more,
    }) as unknown as Specification;

  const start = async (given: Specification) => {
    const id = await fixture.queueSpecification(given);
    fixture.wake();
    return id;
  };
  const workspaceOf = async (id: string) => fixture.workspaces.of((await fixture.run(id)).workspaceId).folder;

  test("finds the matches in all pages of a listing, and keys with odd characters", async () => {
    const id = await start(specification(["s3://lab/many/*77.txt", "s3://lab/odd/"]));
    await backend.startedJob(0);
    const names = (await maybeInputsOf(fixture.db, id))!.files.map((file) => file.path);
    const odd = ["50%", "a&b<c>", "mu 1", "ü+2"].map((name) => `odd/${name}.root`);
    const matches = ["1", "2", "3", "4", "5", "6", "", "7", "8", "9"].map((first) => `${first}77.txt`);
    expect(names.toSorted()).toEqual([...matches, ...odd]);
    expect(await readFile(path.join(await workspaceOf(id), "odd/ü+2.root"), "utf8")).toBe("odd/ü+2.root");
    expect(moto.requests.filter((one) => one.includes("list-type") && one.includes("many"))).toHaveLength(2);
  });

  test("continues a broken download by a range", async () => {
    moto.cutNext(2 << 20);
    const id = await start(specification(["s3://lab/large"]));
    await backend.startedJob(0);
    expect((await maybeInputsOf(fixture.db, id))!.files).toMatchObject([{ sha256: LARGE_SHA256 }]);
    expect(moto.requests).toHaveLength(2);
  });

  test.each([
    ["a wrong secret", "bad", "SignatureDoesNotMatch"],
    ["an unknown key", "unknown", "InvalidAccessKeyId"],
    ["a key that leads out of the workspace", "lab", "s3://lab/up/../x cannot be stored in the workspace"],
  ])("fails with the words of the service about %s", async (_what, credentials, words) => {
    await addSecret(fixture, "bad", `${moto.keys.split(":")[0]}:wrong`);
    await addSecret(fixture, "unknown", "AKIAIOSFODNN7EXAMPLE:wrong");
    const id = await start(specification(["s3://lab/up/"], {}, credentials));
    expect((await fixture.until(id, isOver)).failure).toContain(words);
  });

  test("fails with the words of the service about expired credentials", async () => {
    moto.fail(refuseWith(400, "ExpiredToken", "The provided token has expired."));
    const id = await start(specification(["s3://lab/large"]));
    expect((await fixture.until(id, isOver)).failure).toBe(
      "s3://lab/large could not be fetched: ExpiredToken: The provided token has expired (status 400).",
    );
  });

  test("publishes small files at once and a large one in parts, after a pause that the service asks for", async () => {
    const destination = { address: "s3://lab/results", credentials: "lab" };
    const outputs = { files: ["small.txt", "large.bin"], destination };
    const id = await start(specification([], { outputs }));
    const job = await backend.startedJob(0);
    const workspace = await workspaceOf(id);
    const large = Buffer.alloc((16 << 20) + 1, "large");
    await writeFile(path.join(workspace, "small.txt"), "small");
    await writeFile(path.join(workspace, "large.bin"), large);
    moto.fail(refuseWith(503, "SlowDown", "Please reduce your request rate.", { "retry-after": "1" }));
    backend.end(job);
    expect(await fixture.until(id, isOver)).toMatchObject({ status: "finished", failure: null });
    const event = await maybeFirstEventOf(fixture.db, id, OUTPUTS_PUBLISHED);
    const sha256 = createHash("sha256").update(large).digest("hex");
    expect(event!.body).toMatchObject({ files: [{ path: "large.bin", sha256 }, { path: "small.txt" }] });
    expect(moto.requests.filter((one) => one.includes("partNumber"))).toHaveLength(2);
    const again = await start(specification([`s3://lab/results/${id}/`, `s3://lab/results/${id}.json`]));
    await backend.startedJob(1);
    expect((await maybeInputsOf(fixture.db, again))!.files).toMatchObject([
      { path: `${id}/large.bin`, sha256 },
      { path: `${id}/small.txt` },
      { path: `${id}.json` },
    ]);
  });
});

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { maybeInputsOf } from "#store/runs/run-inputs";
import type { Specification } from "#workflow/specification/specification";
import { addSecret, dataParts } from "../support/data-parts.ts";
import { type DataServer, dataServer, type Fault, refuseWith } from "../support/fakes/data-server.ts";
import type { FakeBackend } from "../support/fakes/fake-backend.ts";
import { isOver, type RunFixture } from "../support/run-fixture.ts";
import { runsOnFakeBackend } from "../support/scenarios/runs-on-fake-backend.ts";

describe("a run whose inputs are many objects of a bucket", () => {
  let backend: FakeBackend;
  let fixture: RunFixture;
  let data: DataServer;
  let folder: string;

  runsOnFakeBackend((opened) => void ({ backend, fixture } = opened));
  folderForEach((made) => void (folder = made));
  beforeEach(async () => void (data = await dataServer()));
  afterEach(() => data.close());

  const specification = (inputs: Readonly<Record<string, unknown>>): Specification => ({
    inputs,
    workflow: { type: "serial", specification: { steps: [{ commands: ["cat *"] }] } },
  });

  const filesOf = async (id: string) => {
    const { folder: workspace } = fixture.workspaces.of((await fixture.run(id)).workspaceId);
    const entries = await readdir(workspace, { recursive: true, withFileTypes: true });
    const names = entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(workspace, path.join(entry.parentPath, entry.name)));
    const pairs = names.map(
      async (name) => [name, await readFile(path.join(workspace, name), "utf8")] as const,
    );
    return Object.fromEntries(await Promise.all(pairs));
  };

  /** Starts a run, and returns its id once its first job has started. */
  async function started(inputs: Readonly<Record<string, unknown>>): Promise<string> {
    const count = backend.started.length;
    const id = await fixture.queueSpecification(specification(inputs));
    fixture.wake();
    await backend.startedJob(count);
    return id;
  }

  const putRun7 = () => {
    data.put("/bucket/run7/", "");
    data.put("/bucket/run7/mu 1.root", "one");
    data.put("/bucket/run7/ü+2.root", "two");
    data.put("/bucket/run7/deep/er/three.root", "three");
    data.put("/bucket/run70/other.root", "other");
  };

  test.each<[string, Readonly<Record<string, unknown>>, Readonly<Record<string, string>>]>([
    [
      "a folder",
      { files: ["s3://bucket/run7/"] },
      { "run7/mu 1.root": "one", "run7/ü+2.root": "two", "run7/deep/er/three.root": "three" },
    ],
    [
      "an entry of `directories`, with a place",
      { directories: [{ address: "s3://bucket/run7/deep", path: "in" }] },
      { "in/er/three.root": "three" },
    ],
    ["a pattern", { files: ["s3://bucket/run7/*.root"] }, { "mu 1.root": "one", "ü+2.root": "two" }],
    [
      "a pattern for all folders, with a place",
      { files: [{ address: "s3://bucket/run7/**/t*.root", path: "in" }] },
      { "in/deep/er/three.root": "three" },
    ],
    ["a whole bucket", { directories: ["s3://bucket"], files: [] }, { "bucket/run70/other.root": "other" }],
  ])("finds the files of %s in its workspace", async (_what, inputs, files) => {
    putRun7();
    await fixture.server(dataParts(data, folder)).start();
    const id = await started(inputs);
    expect(await filesOf(id)).toMatchObject(files);
    const recorded = await maybeInputsOf(fixture.db, id);
    expect(recorded!.files.map((file) => file.path).toSorted()).toEqual(
      Object.keys(await filesOf(id)).toSorted(),
    );
  });

  test("reads all pages of a listing, and asks again for no object that the listing shows unchanged", async () => {
    for (let index = 0; index < 1500; index += 1) data.put(`/bucket/many/${index}.txt`, `${index}`);
    await fixture.server(dataParts(data, folder)).start();
    const first = await started({ files: ["s3://bucket/many/"] });
    expect(Object.keys(await filesOf(first))).toHaveLength(1500);
    data.put("/bucket/many/7.txt", "changed");
    const before = data.requests.length;
    const second = await started({ files: ["s3://bucket/many/"] });
    expect((await filesOf(second))["many/7.txt"]).toBe("changed");
    expect(data.requests.slice(before).map(({ url }) => url!.split("?")[0])).toEqual([
      "/bucket",
      "/bucket",
      "/bucket/many/7.txt",
    ]);
  });

  test("signs the request for a listing with the credentials of the entry", async () => {
    putRun7();
    await addSecret(fixture, "lab", "KEY:SECRET");
    await fixture.server(dataParts(data, folder)).start();
    await started({ files: [{ address: "s3://bucket/run7/*.root", credentials: "lab" }] });
    expect(data.requests.map(({ headers }) => headers.authorization)).toEqual(
      Array.from({ length: 3 }, () => expect.stringContaining("Credential=KEY/") as string),
    );
  });

  test.each<[string, string[], readonly string[], Fault | undefined, string]>([
    [
      "leads out of the workspace",
      ["/bucket/in/../../x"],
      ["s3://bucket/in/"],
      undefined,
      "s3://bucket/in/../../x cannot be stored in the workspace: its key has an empty part, `.` or `..` between the slashes.",
    ],
    [
      "has an empty part",
      ["/bucket/in/a//b"],
      ["s3://bucket/in/"],
      undefined,
      "s3://bucket/in/a//b cannot be stored in the workspace",
    ],
    [
      "is too long for a file name",
      [`/bucket/in/${"x".repeat(300)}`],
      ["s3://bucket/in/"],
      undefined,
      "is longer than 255 bytes.",
    ],
    [
      "is a file where another needs a folder",
      ["/bucket/in/a", "/bucket/in/a/b"],
      ["s3://bucket/in/"],
      undefined,
      "s3://bucket/in/a is stored as a file, and s3://bucket/in/a/b needs a folder in its place.",
    ],
    [
      "is stored twice",
      ["/bucket/in/a", "/bucket/other/a"],
      ["s3://bucket/in/*", "s3://bucket/other/*"],
      undefined,
      "s3://bucket/in/a and s3://bucket/other/a would both be stored as a.",
    ],
    ["does not exist", [], ["s3://bucket/in/"], undefined, "s3://bucket/in/ holds no objects."],
    ["matches nothing", ["/bucket/a"], ["s3://bucket/*.b"], undefined, "s3://bucket/*.b matches no objects."],
    [
      "is refused by the service",
      [],
      ["s3://bucket/in/"],
      refuseWith(403, "AccessDenied", "Access Denied."),
      "s3://bucket/in/ could not be listed: AccessDenied: Access Denied (status 403).",
    ],
    [
      "is one of too many",
      Array.from({ length: 10_001 }, (_, index) => `/bucket/in/${index}`),
      ["s3://bucket/in/"],
      undefined,
      "s3://bucket/in/ brings the inputs of the run above 10000 files, which is the limit.",
    ],
  ])(
    "fails with a sentence, and nothing in the workspace, if a key %s",
    async (_why, keys, files, fault, sentence) => {
      for (const key of keys) data.put(key, "x");
      data.put("/bucket/good.csv", "good");
      await fixture.server(dataParts(data, folder)).start();
      if (fault) data.fail(fault);
      const id = await fixture.queueSpecification(
        specification({ files: [...files, "s3://bucket/good.csv"] }),
      );
      fixture.wake();
      const run = await fixture.until(id, isOver);
      expect(run.failure).toContain(sentence);
      expect(await filesOf(id)).toEqual({});
      expect(backend.started).toEqual([]);
    },
  );

  test("waits and lists again if a page of the listing is refused for a while", async () => {
    putRun7();
    data.fail(refuseWith(503, "SlowDown", "Please reduce your request rate."));
    await fixture.server(dataParts(data, folder)).start();
    const id = await started({ files: ["s3://bucket/run7/*.root"] });
    expect(Object.keys(await filesOf(id))).toHaveLength(2);
  });
});

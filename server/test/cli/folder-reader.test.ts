import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openReader, startLocal } from "#app/start";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import type { RunService } from "#cli/run/service/run-service";
import { isOver } from "#workflow/run/run-status";
import { readConfig } from "#config/read";
import { FolderInUseError, holdFolderLock } from "#store/dialects/folder-lock";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { zipOf } from "#plumbing/zip/zip-fixture";
import { openCrate } from "../support/crates/open-crate.ts";

/** Tests of read-only commands, on a data folder without a server. */
let folder: string;
let data: string;
const LARGE = 200_000;

const configOf = (options: Readonly<Record<string, unknown>>) =>
  readConfig({
    HOME: folder,
    REPRISE_DATA: String(options["dataFolder"]),
    REPRISE_CONTAINERS: "none",
  });

async function finish(runs: RunService, name: string, ...commands: string[]): Promise<void> {
  const steps = [{ name: "make", environment: "any", commands }];
  const { id } = await runs.create(name, {
    outputs: { files: ["out.txt", "large.bin"] },
    workflow: { type: "serial", specification: { steps } },
  });
  await runs.start(id, { parameters: {}, options: {} });
  await vi.waitUntil(async () => isOver((await runs.view(id)).status), { timeout: 50_000 });
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "reprise-reader-"));
  data = path.join(folder, "data");
  const runs = await startLocal(configOf({ dataFolder: data }));
  await finish(runs, "fit", `echo fitting; echo one > out.txt; head -c ${LARGE} /dev/zero > large.bin`);
  await finish(runs, "fit", "echo fitting; echo two > out.txt; exit 3");
  await runs.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

// Commands are loaded when they are used. The slowest one is loaded here, before the clocks of the tests start.
await import("#cli/runs/watch/status");

async function reprise(...args: string[]) {
  const cli = fakeCli({
    dataFolder: (options) => String(options["dataFolder"]),
    openReader: (options) => openReader(configOf(options), "1.2.3"),
  });
  const code = await runCli([...args, "--data", data], cli);
  return { code, text: cli.printed.join("\n"), errors: cli.errors };
}

describe("without a server", () => {
  test("list", async () => {
    const { code, text } = await reprise("list");
    expect(code).toBe(0);
    expect(text).toMatch(/^NAME .*\nfit\.2 +failed .*\nfit\.1 +finished /);
  });

  test("export, of one workflow and of all that have ended", async () => {
    const place = path.join(folder, "taken");
    await mkdir(place);
    const file = path.join(place, "fit.zip");
    const one = await reprise("export", "fit.1", "-o", file, "--license", "https://spdx.org/licenses/MIT");
    expect(one).toMatchObject({
      code: 0,
      errors: [],
      text: expect.stringMatching(/^Wrote .*fit.zip \(.* KiB\).$/) as string,
    });
    const { files, entities } = await openCrate(await readFile(file));
    expect([files.get("out.txt")!.toString(), files.get("large.bin")!.length]).toEqual(["one\n", LARGE]);
    expect(entities.get("./")!["license"]).toEqual({ "@id": "https://spdx.org/licenses/MIT" });
    const all = path.join(place, "all");
    const { text } = await reprise("export", "--all", "-o", all, "--json");
    const crates = JSON.parse(await readFile(path.join(all, "index.json"), "utf8")) as { crates: object[] };
    expect(JSON.parse(text)).toEqual({ folder: all, ...crates });
    expect(crates.crates).toMatchObject([
      { name: "fit.2", status: "failed", file: "fit.2.crate.zip" },
      { name: "fit.1", status: "finished", file: "fit.1.crate.zip" },
    ]);
    expect((await readdir(all)).toSorted()).toEqual(["fit.1.crate.zip", "fit.2.crate.zip", "index.json"]);
    const named = await reprise("export", "fit.1", "--all");
    expect(named).toMatchObject({
      code: 2,
      errors: ["With --all, every run is exported: name no workflow."],
    });
  });

  test("origin, of a file with another name, of a folder, and of files that cannot be traced", async () => {
    const place = path.join(folder, "papers");
    await mkdir(place);
    await writeFile(path.join(place, "figure"), "one\n");
    await writeFile(path.join(place, "other"), "in no run");
    const found = await reprise("origin", path.join(place, "figure"));
    expect(found).toMatchObject({ code: 0, errors: [] });
    expect(found.text.split("\n").slice(0, 2)).toEqual([
      `${place}/figure was made by make of fit.1.`,
      "  file       out.txt (4 B), still there",
    ]);
    expect(found.text).toContain("\n  command    echo fitting; echo one > out.txt");
    expect(found.text).toContain("\n  fit.1 make: out.txt <- no known file");
    const both = await reprise("origin", place);
    expect([both.code, both.text.split("\n").map((line) => line.split(/ {2,}/))]).toEqual([
      1,
      [
        ["FILE", "RUN", "MADE BY", "FILE OF THE RUN"],
        [`${place}/figure`, "fit.1", "make", "out.txt"],
        [`${place}/other`, "-", "-", "-"],
      ],
    ]);
    const { text } = await reprise("origin", path.join(place, "figure"), "--json");
    expect(JSON.parse(text)).toMatchObject({ file: `${place}/figure`, items: [{ workflow_name: "fit.1" }] });
    const none = await reprise("origin", path.join(place, "none"));
    expect(none).toEqual({ code: 1, text: "", errors: [`There is no file ${place}/none.`] });
    const device = await reprise("origin", "/dev/null");
    expect(device).toEqual({ code: 1, text: "", errors: ["/dev/null is neither a file nor a folder."] });
  });

  test("origin, of files inside a zip and a gzip, and of an archive with a hostile name", async () => {
    const place = path.join(folder, "archives");
    await mkdir(place);
    const gz = path.join(place, "out.txt.gz");
    await writeFile(gz, gzipSync("one\n"));
    const found = await reprise("origin", gz);
    expect(found).toMatchObject({ code: 0, errors: [] });
    expect(found.text.split("\n").slice(0, 2)).toEqual([
      `${gz}: no run that you may see has a file with this content.`,
      `${gz}: out.txt was made by make of fit.1.`,
    ]);
    await writeFile(path.join(place, "talk.zip"), await zipOf({ "a/figure": "one\n", other: "in no run" }));
    const zipped = JSON.parse(
      (await reprise("origin", path.join(place, "talk.zip"), "--json")).text,
    ) as object;
    expect(zipped).toMatchObject({
      items: [],
      inside: [{ file: "a/figure", items: [{ workflow_name: "fit.1" }] }],
    });
    await writeFile(path.join(place, "x.zip"), await zipOf({ "../evil": "one\n" }));
    const all = await reprise("origin", place);
    expect(all.text.split("\n").map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
      ["FILE", "RUN"],
      [gz, "-"],
      [`${gz}: out.txt`, "fit.1"],
      [`${place}/talk.zip`, "-"],
      [`${place}/talk.zip: a/figure`, "fit.1"],
      [`${place}/x.zip`, "-"],
    ]);
    expect(all.errors).toEqual([
      `The files inside ${place}/x.zip were not read to the end. The zip cannot be used: "../evil" is no plain path inside it.`,
    ]);
  });

  test("status, with the reason of a failure", async () => {
    const { code, text } = await reprise("status", "fit");
    expect([code, text]).toEqual([
      0,
      expect.stringContaining('Step "make" failed: its command exited with code 3.'),
    ]);
  });

  test("logs, ls and diff", async () => {
    expect((await reprise("logs", "fit.1")).text).toContain("fitting\n");
    expect((await reprise("ls", "-w", "fit.1")).text).toContain("large.bin");
    expect((await reprise("diff", "fit.1", "fit.2")).text).toContain("out.txt");
    expect((await reprise("du", "-s", "-w", "fit.1")).code).toBe(0);
  });

  test("download", async () => {
    const target = path.join(folder, "here");
    expect((await reprise("download", "-w", "fit.1", "-o", target)).errors).toEqual([]);
    expect(readFileSync(path.join(target, "out.txt"), "utf8")).toBe("one\n");
    expect(readFileSync(path.join(target, "large.bin"))).toEqual(Buffer.alloc(LARGE));
  });

  test("a missing name", async () => {
    const { code, errors } = await reprise("status", "fitt");
    expect([code, errors]).toEqual([1, ["There is no workflow fitt. Did you mean fit?"]]);
  });

  test.each([
    [["start", "fit.1"]],
    [["stop", "fit"]],
    [["delete", "fit"]],
    [["rm", "-w", "fit", "*"]],
    [["status", "fit", "--watch"]],
    [["logs", "fit", "-f"]],
  ])("%j needs a server", async (args) => {
    const { code, errors } = await reprise(...args);
    expect([code, errors]).toEqual([1, [expect.stringContaining(`none runs on the data folder ${data}`)]]);
  });

  test("no file is changed, and the folder stays free for other programs", async () => {
    const before = await marksOf(data);
    const reader = (await openReader(configOf({ dataFolder: data }), "1"))!;
    const lock = holdFolderLock(dataFolderPaths(data).lock);
    lock.release();
    await reader.close();
    await reprise("list");
    expect(await marksOf(data)).toEqual(before);
    await expect(
      reader.fetch(new Request("http://localhost/api/workflows", { method: "POST" })),
    ).rejects.toThrow("Without a server nothing is changed: POST was asked for.");
  });
});

test("beside a `reprise run` that uses the folder", async () => {
  const lock = holdFolderLock(dataFolderPaths(data).lock);
  try {
    expect(() => holdFolderLock(dataFolderPaths(data).lock)).toThrow(FolderInUseError);
    expect((await reprise("list")).code).toBe(0);
  } finally {
    lock.release();
  }
});

test("an unused folder stays unchanged", async () => {
  const none = path.join(folder, "none");
  expect(await openReader(configOf({ dataFolder: none }), "1")).toBeUndefined();
  expect(existsSync(none)).toBe(false);
});

test("tables of an older version are left alone, with a sentence", async () => {
  const old = path.join(folder, "old");
  const runs = await startLocal(configOf({ dataFolder: old }));
  await runs.close();
  await forgetLastMigration(dataFolderPaths(old).database);
  await expect(openReader(configOf({ dataFolder: old }), "1")).rejects.toThrow("`reprise migrate`");
});

async function forgetLastMigration(file: string): Promise<void> {
  const { openSqlite } = await import("#store/dialects/sqlite");
  const db = openSqlite(file, "normal");
  const last = (await db.selectFrom("migrations").select("name").execute())
    .map(({ name }) => name)
    .toSorted()
    .toReversed()[0]!;
  await db.deleteFrom("migrations").where("name", "=", last).execute();
  await db.destroy();
}

/** Returns a hash of every file in the folder. */
async function marksOf(root: string): Promise<Record<string, string>> {
  const names = await readdir(root, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const marks = files.toSorted().map(async (file) => {
    return [
      file,
      createHash("sha256")
        .update(await readFile(file))
        .digest("hex"),
    ] as const;
  });
  return Object.fromEntries(await Promise.all(marks));
}

import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "reprise-sdk";
import { runsOverHttp } from "#cli/run/service/runs-over-http";
import { copyOutputs } from "#cli/run/copy-outputs";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { NO_TRANSFER } from "#cli/terminal/transfer-line";
import { readZip } from "#plumbing/zip/zip-reader";
import { apiFixture } from "../../support/api-fixture.ts";
import { createRun } from "../../support/run-rows.ts";
import { workspaceClient } from "../../support/workspace-client.ts";

/**
 * Results that are links, as steps of Snakemake often make. A link to a file in the workspace is served as
 * the file.
 */
const api = await apiFixture();
const ada = await api.makeUser();
const url = await api.listen();
const { put, get, folderOf } = workspaceClient(api, ada);
const run = await createRun(api, ada, "linked");
const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "reprise-results-")));
const folder = await folderOf(run);

afterAll(async () => {
  await api.close();
  rmSync(base, { recursive: true });
});

beforeAll(async () => {
  await writeFile(path.join(base, "secret"), "secret");
  await put(run, "real.txt", "real");
  await put(run, "res/a.txt", "a");
  await put(run, "runs/1/plot.png", "plot");
  const links = {
    "out.txt": "real.txt",
    "whole.txt": path.join(folder, "real.txt"),
    "res/up.txt": "../real.txt",
    "res/again.txt": "up.txt",
    latest: "runs/1",
    "res/folder": "../runs",
    "res/secret": path.join(base, "secret"),
    "res/up": "../../../../../../../../../../etc/passwd",
    "res/broken": "nowhere",
    "res/circle": "circle",
    outside: base,
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, path.join(folder, name));
});

describe("a download", () => {
  test.each([
    ["out.txt", "real"],
    ["whole.txt", "real"],
    ["res/up.txt", "real"],
    ["res/again.txt", "real"],
    ["latest/plot.png", "plot"],
    ["res/folder/1/plot.png", "plot"],
  ])("of %s gives the file under the name of the link", async (name, content) => {
    const reply = await get(run, name);
    expect([reply.statusCode, reply.body]).toEqual([200, content]);
    expect(reply.headers["content-disposition"]).toBe(`attachment; filename="${name}"`);
    expect((await get(run, name, { range: "bytes=1-2" })).body).toBe(content.slice(1, 3));
  });

  test.each(["latest", "res/secret", "res/up", "res/broken", "res/circle", "outside"])(
    "of %s is refused",
    async (name) => {
      const reply = await get(run, name);
      expect([reply.statusCode, reply.json()]).toEqual([
        400,
        { message: `Opening symlink '${name}' is not allowed`, code: "symlink" },
      ]);
    },
  );

  test.each(["outside/secret", "latest/none", "res/broken/x"])("of %s finds no file", async (name) => {
    expect((await get(run, name)).statusCode).toBe(404);
  });

  test("never leaves the workspace while links are exchanged", async () => {
    const place = (name: string) => path.join(folder, name);
    let isOver = false;
    const exchanging = (async () => {
      await mkdir(place("swap"));
      await writeFile(place("swap/secret"), "mine");
      for (let count = 0; !isOver; count += 1) {
        await symlink(count % 2 === 0 ? base : "swap", place("next"));
        await rename(place("next"), place("door"));
      }
    })();
    const seen = new Set<string>();
    for (let count = 0; count < 150; count += 1) {
      const reply = await get(run, "door/secret");
      seen.add(reply.statusCode === 200 ? reply.body : String(reply.statusCode));
    }
    isOver = true;
    await exchanging;
    await rm(place("door"));
    expect([...seen].filter((one) => !["mine", "404"].includes(one))).toEqual([]);
  });
});

test.each(["res", "res/*"])(
  "a zip of %s has links to files as these files, and no others",
  async (pattern) => {
    const file = path.join(base, "files.zip");
    await writeFile(file, (await get(run, pattern)).rawPayload);
    await using handle = await open(file);
    const entries = await readZip(handle, { maxEntries: 100 });
    const sizes = entries.map(({ name, kind, bytes }) => `${kind} ${name} ${bytes}`);
    expect(sizes.toSorted()).toEqual(["file res/a.txt 1", "file res/again.txt 4", "file res/up.txt 4"]);
  },
);

test("a listing from a link lists what is there, and from the top the link", async () => {
  const listed = async (name: string) => {
    const reply = await api.inject({
      url: `/api/workflows/${run.id}/workspace?file_name=${encodeURIComponent(name)}`,
      headers: { authorization: `Bearer ${ada.token}` },
    });
    const { items } = reply.json<{ items: { name: string; size: { raw: number } }[] }>();
    return items.map((item) => `${item.name} ${item.size.raw}`);
  };
  expect(await listed("out.txt")).toEqual(["out.txt 4"]);
  expect(await listed("latest")).toEqual(["latest/plot.png 4"]);
  expect(await listed("latest/*.png")).toEqual(["latest/plot.png 4"]);
  expect(await listed("res/folder/1")).toEqual(["res/folder/1/plot.png 4"]);
  expect(await listed("outside")).toEqual([expect.stringMatching(/^outside \d+$/)]);
  expect(await listed("outside/secret")).toEqual([]);
  expect(await listed("la*")).toEqual([expect.stringMatching(/^latest \d+$/)]);
});

const UNFOLLOWED = ["res/broken", "res/circle", "res/folder", "res/secret", "res/up"];
const sentence = (name: string) =>
  `${name} was not brought back: it is a link out of the workspace, to a folder, or to nothing. ` +
  "Let the step make a file, or declare what the link leads to.";

test("`download` brings links as files, and names the omitted links", async () => {
  const environment = { REPRISE_SERVER: url, REPRISE_TOKEN: ada.token };
  const reprise = async (...args: string[]) => {
    const cli = fakeCli({ environment });
    const code = await runCli(["download", "-w", "linked", ...args, "-o", path.join(base, "got")], cli);
    return { code, printed: cli.printed, errors: cli.errors };
  };
  const { code, errors } = await reprise("out.txt", "res", "latest");
  expect([code, errors.toSorted()]).toEqual([0, UNFOLLOWED.map(sentence)]);
  expect(readFileSync(path.join(base, "got/out.txt"), "utf8")).toBe("real");
  expect(readFileSync(path.join(base, "got/latest/plot.png"), "utf8")).toBe("plot");
  expect((await readdir(path.join(base, "got/res"))).toSorted()).toEqual(["a.txt", "again.txt", "up.txt"]);
  expect(await reprise("res/secret")).toEqual({ code: 1, printed: [], errors: [sentence("res/secret")] });
});

test("outputs of a run come back as files, with their sizes, and the others are told", async () => {
  const root = path.join(base, "outputs");
  const { files, absent, links } = await copyOutputs({
    service: runsOverHttp(connect({ url, token: ada.token })),
    run: { id: run.id, name: "linked.1" },
    outputs: ["out.txt", "res", "latest/*.png", "none"],
    target: { root, below: "" },
    inputMarks: new Map(),
    transfer: () => NO_TRANSFER,
  });
  expect(files.map(({ name, bytes }) => `${name} ${bytes}`)).toEqual([
    "out.txt 4",
    "res/a.txt 1",
    "res/again.txt 4",
    "res/up.txt 4",
    "latest/plot.png 4",
  ]);
  expect([absent, links]).toEqual([["none", ...UNFOLLOWED], UNFOLLOWED]);
  expect(readFileSync(path.join(root, "res/again.txt"), "utf8")).toBe("real");
});

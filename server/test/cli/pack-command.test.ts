import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";

/** Packs from a server that announces their sizes. */
let bytes = "10";
const server = createServer((_request, response) => {
  response.setHeader("x-pack-bytes", bytes);
  response.setHeader("x-pack-starter", "ro-crate-run.sh");
  response.end("zip");
});
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "reprise-pack-"));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

async function pack(file: string) {
  const { port } = server.address() as AddressInfo;
  const environment = { REPRISE_SERVER: `http://127.0.0.1:${port}`, REPRISE_TOKEN: "token" };
  const cli = fakeCli({ environment });
  const code = await runCli(["pack", "w", "-o", path.join(folder, file), "--json"], cli);
  return { code, printed: cli.printed, errors: cli.errors };
}

test("a pack that the disk may not hold is refused before anything is written", async () => {
  bytes = String(2 ** 60);
  const { code, printed, errors } = await pack("large.zip");
  expect([code, printed, errors.join("\n")]).toEqual([
    1,
    [],
    expect.stringMatching(
      /The pack needs up to .* left\. Nothing was written\. Name a file on another disk with -o\./,
    ) as string,
  ]);
  expect(await readdir(folder)).toEqual([]);
});

test("the reply says which script runs the pack", async () => {
  bytes = "10";
  const { code, printed } = await pack("small.zip");
  const file = path.join(folder, "small.zip");
  expect([code, JSON.parse(printed[0]!)]).toEqual([0, { pack: file, bytes: 3, starter: "ro-crate-run.sh" }]);
});

test("a folder that is not there is named", async () => {
  const { code, errors } = await pack("none/small.zip");
  expect([code, errors.join("\n")]).toEqual([
    1,
    expect.stringContaining("its folder does not exist.") as string,
  ]);
});

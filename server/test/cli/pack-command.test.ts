import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { SERVER_FLAGS } from "../../../tools/server-flags.js";

const MAIN = path.join(import.meta.dirname, "..", "..", "src", "main.ts");

/** Packs from a server that announces sizes. */
let bytes = "10";
let isStalling = false;
const server = createServer((_request, response) => {
  response.setHeader("x-pack-bytes", bytes);
  response.setHeader("x-pack-starter", "ro-crate-run.sh");
  if (isStalling) response.write("half of a zip");
  else response.end("zip");
});
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "reprise-pack-"));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  server.closeAllConnections();
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

test("an absent folder is named in the error", async () => {
  const { code, errors } = await pack("none/small.zip");
  expect([code, errors.join("\n")]).toEqual([
    1,
    expect.stringContaining("its folder does not exist.") as string,
  ]);
});

describe("a pack on the way to a killed command", () => {
  async function killed(signal: NodeJS.Signals) {
    isStalling = true;
    const { port } = server.address() as AddressInfo;
    const words = ["pack", "w", "-o", path.join(folder, "killed.zip")];
    const env = { ...process.env, REPRISE_SERVER: `http://127.0.0.1:${port}`, REPRISE_TOKEN: "token" };
    const child = spawn(process.execPath, [...SERVER_FLAGS, MAIN, ...words], { env, stdio: "ignore" });
    const exited = once(child, "exit");
    const isHalf = async (name: string) => (await readFile(path.join(folder, name))).length > 0;
    while (!(await Promise.all((await parts()).map(isHalf))).includes(true))
      await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill(signal);
    const [code, by] = await exited;
    isStalling = false;
    return { code, by };
  }
  const parts = async () => (await readdir(folder)).filter((name) => name.includes("killed"));

  test("leaves no part of the zip after SIGTERM", async () => {
    expect(await killed("SIGTERM")).toEqual({ code: 128 + os.constants.signals.SIGTERM, by: null });
    expect(await parts()).toEqual([]);
  });

  test("leaves a hidden part after SIGKILL, and a later pack of the name removes the part after an hour", async () => {
    expect(await killed("SIGKILL")).toEqual({ code: null, by: "SIGKILL" });
    const [part, ...others] = await parts();
    expect([part, others]).toEqual([expect.stringMatching(/^\.killed\.zip\.[0-9a-f-]+\.part$/), []]);
    const hoursAgo = Date.now() / 1000 - 2 * 3600;
    await utimes(path.join(folder, part!), hoursAgo, hoursAgo);
    // Another command may still write this one.
    await writeFile(path.join(folder, ".killed.zip.other.part"), "");
    expect((await pack("killed.zip")).code).toBe(0);
    expect(await parts()).toEqual([".killed.zip.other.part", "killed.zip"]);
  });
});

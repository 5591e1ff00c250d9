import { cp, readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { command } from "../support/command.ts";
import { temporaryFolder } from "../support/real-server.ts";

const REPOSITORY = path.join(import.meta.dirname, "..", "..", "..");
/** The folder with an `nvidia-smi` that lists a device. */
const STAND_INS = path.join(REPOSITORY, "server", "test", "guides", "stand-ins");

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  await cp(path.join(REPOSITORY, "examples", "gpu"), path.join(folder.folder, "gpu"), { recursive: true });
});
afterAll(() => folder?.remove());

/** Runs `examples/gpu`. Returns the exit code and everything printed. */
async function run(environment: Readonly<Record<string, string>>) {
  const { folder: home } = folder;
  const words = ["run", "gpu", "--containers", "none"];
  const started = command(words, {
    cwd: home,
    environment: { REPRISE_DATA: path.join(home, "data"), ...environment },
  });
  return { code: await started.ended, printed: started.stdout() + started.stderr() };
}

test("examples/gpu is refused by the name of its step on a machine without a GPU", async () => {
  const { code, printed } = await run({ REPRISE_GPUS: "none" });
  expect(code).not.toBe(0);
  expect(printed).toContain('Step "look" asks for a GPU (gpus), which this server cannot give.');
});

test("examples/gpu names the granted device", async () => {
  const { code, printed } = await run({ PATH: `${STAND_INS}:${process.env["PATH"]}` });
  expect(code, printed).toBe(0);
  const said = await readFile(path.join(folder.folder, "gpu", "results", "device.txt"), "utf8");
  expect(said).toContain("granted: GPU-8f6d1b2c-5a3e-4c70-9d21-0e6f7a8b9c0d\n");
});

import { execFile } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Machine, newMachine } from "./first-minute.ts";

/** The first commands of the README with a real set-up, on several versions of Node. */
const NODES = ["20.19.0", "22.18.0", "24.0.0"];

let machine: Machine;
beforeAll(async () => {
  machine = await newMachine();
});
afterAll(() => machine.remove());

async function expectFirstRun(typed: ReturnType<Machine["type"]>): Promise<void> {
  const { code, printed } = await typed;
  expect(code, printed).toBe(0);
  expect(printed).toContain("Setting up (once)");
  expect(printed).toMatch(/hello\.\d+ finished after /);
}

const forget = () => rm(path.join(machine.checkout, "node_modules"), { recursive: true, force: true });

test.each(NODES)("Node %s", async (version) => {
  await forget();
  const name = `node-${process.platform}-${process.arch}`;
  const folder = path.join(machine.home, version);
  await mkdir(folder);
  const install = [
    "install",
    "--prefix",
    folder,
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    `${name}@${version}`,
  ];
  await promisify(execFile)("npm", install, { cwd: folder });
  const PATH = `${path.join(folder, "node_modules", name, "bin")}:${process.env["PATH"]}`;
  await expectFirstRun(machine.type({ environment: { PATH } }));
});

import { existsSync } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { bringModules } from "../guides/desk.ts";
import { type Machine, newMachine } from "./first-minute.ts";

/** The first commands of the README on machines that lack something. All are cloned into a path with a space and an umlaut. */
let machine: Machine;
const results = () => path.join(machine.checkout, "examples", "hello", "results");
const greetings = () => path.join(results(), "greetings.txt");
const data = () => path.join(machine.home, ".local", "share", "reprise");

beforeAll(async () => {
  machine = await newMachine();
  await bringModules(machine.checkout);
});
afterAll(() => machine.remove());
beforeEach(async () => {
  for (const folder of [results(), data()]) await rm(folder, { recursive: true, force: true });
});

async function expectGreetings({ code, printed }: { code: number; printed: string }): Promise<void> {
  expect(code, printed).toBe(0);
  expect(printed).toMatch(/hello\.1 finished after .*\n?/);
  expect(await readFile(greetings(), "utf8")).toContain("Hello, Ada!");
}

test("without podman, docker and bubblewrap", async () => {
  const PATH = await machine.pathWithout("podman", "docker", "bwrap");
  await expectGreetings(await machine.type({ environment: { PATH } }));
});

test("with what this machine has, and no registry of images", async () => {
  await expectGreetings(await machine.type({ environment: { HTTPS_PROXY: "http://127.0.0.1:1" } }));
});

test("under umask 077", async () => {
  await expectGreetings(await machine.type({ first: "umask 077" }));
  expect((await stat(greetings())).mode & 0o777).toBe(0o600);
});

test("without bash, a sentence comes before anything is written", async () => {
  const PATH = await machine.pathWithout("bash");
  const { code, printed } = await machine.type({ environment: { PATH } });
  expect([code, printed]).toEqual([1, expect.stringContaining("There is no bash in the PATH.")]);
  expect([existsSync(data()), existsSync(results())]).toEqual([false, false]);
});

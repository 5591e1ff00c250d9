import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { withFewDescriptors } from "#plumbing/descriptors-suite";
import { startProcess } from "#plumbing/start-process";

test("a started process has lost no output, and the end is still to come", async () => {
  const child = await startProcess(() =>
    spawn("echo", ["all of it"], { stdio: ["ignore", "pipe", "ignore"] }),
  );
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += String(chunk)));
  expect(await once(child, "close")).toEqual([0, null]);
  expect(printed).toBe("all of it\n");
});

test.each([
  ["is not there", "ENOENT", () => spawn("/nowhere/tool")],
  ["is refused at once", "E2BIG", () => spawn("true", ["x".repeat(2 ** 22)])],
])("a program that %s cannot be started", async (_name, code, start) => {
  await expect(startProcess(start)).rejects.toMatchObject({ code });
});

test("an error after the start ends nothing", async () => {
  const child = await startProcess(() => spawn("cat", { stdio: ["pipe", "ignore", "ignore"] }));
  child.emit("error", new Error("kill EPERM"));
  child.stdin.end();
  expect(await once(child, "close")).toEqual([0, null]);
});

test("however few descriptors are left, a process starts or is refused, and none is lost", async () => {
  const code = `
    import { spawn } from "node:child_process";
    import { once } from "node:events";
    import { readdirSync } from "node:fs";
    import { startProcess } from "#plumbing/start-process";
    const open = () => readdirSync("/proc/self/fd").length;
    async function start() {
      const child = await startProcess(() => spawn("cat", { stdio: ["pipe", "pipe", "pipe"] }));
      child.stdin.end();
      child.stdout.resume();
      return (await once(child, "close"))[0];
    }
    await start();
    const before = open();
    const outcomes = [];
    for (let left = 0; left < 20; left += 1) {
      takeDescriptors(left);
      outcomes.push(await outcomeOf(start()));
      giveBackDescriptors();
    }
    print({ before, outcomes, after: open() });`;
  const { before, outcomes, after } = (await withFewDescriptors(code)) as {
    before: number;
    outcomes: readonly object[];
    after: number;
  };
  expect(after).toBe(before);
  const refused = { error: expect.stringContaining("EMFILE") };
  expect(outcomes.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => refused));
  expect(outcomes.slice(-4)).toEqual(Array.from({ length: 4 }, () => ({ value: 0 })));
});

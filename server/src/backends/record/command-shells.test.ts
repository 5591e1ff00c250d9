import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createCommandShells } from "#backends/record/command-shells";

const open = (timeoutMs = 60_000) => {
  const run = createCommandShells({ environment: { PATH: process.env["PATH"]! }, timeoutMs });
  return (words: readonly [string, ...string[]], variables = {}) => run(words, variables);
};
const script = (text: string) => ["/bin/sh", "-c", text] as const;

test("a command returns its exit code and both outputs, and has the variables and no input", async () => {
  const run = open();
  const text = 'cat; echo "out $A"; echo Error: wrong >&2; exit 3';
  const wanted = { code: 3, stdout: "out it's\nß\n", stderr: "Error: wrong\n" };
  expect(await run(script(text), { A: "it's\nß" })).toEqual(wanted);
  expect(await run(["printf", "%s", "$HOME `id` \\"])).toEqual({
    code: 0,
    stdout: "$HOME `id` \\",
    stderr: "",
  });
  expect(await run(["env"], { A: "b" })).toMatchObject({ stdout: expect.stringMatching(/^A=b$/m) });
  expect((await run(["env"])).stdout).not.toMatch(/^A=/m);
});

test("a shell runs a command at a time, and several shells run at once", async () => {
  const run = open();
  const parent = async () => (await run(script("echo $PPID"))).stdout;
  const first = await parent();
  expect(await parent()).toBe(first);
  expect(new Set(await Promise.all([parent(), parent(), parent()])).size).toBe(3);
});

test("a missing command has no exit code", async () => {
  const result = await open()(["no-such-command"]);
  expect(result).toMatchObject({ code: null, stderr: expect.stringContaining("not found") });
});

test("a command that hangs is ended with its shell, and the next command runs", async () => {
  const run = open(300);
  const late = await run(script("echo begun; sleep 1000; :"));
  expect(late).toEqual({ code: null, stdout: "begun\n", stderr: "\nit did not answer within 0.3 s" });
  expect((await open()(["echo", "next"])).stdout).toBe("next\n");
});

test("a command that prints more than its caller can use has failed", async () => {
  const result = await open()(script("yes | head -c 9000000"));
  expect(result).toMatchObject({ code: null, stderr: "\nit printed too much" });
});

test("an idle shell ends", async () => {
  const pid = (await open()(script("echo $PPID"))).stdout.trim();
  const state = () => {
    try {
      return readFileSync(`/proc/${pid}/comm`, "utf8");
    } catch {
      return "gone";
    }
  };
  expect(state()).not.toBe("gone");
  await expect.poll(state, { timeout: 20_000 }).toBe("gone");
});

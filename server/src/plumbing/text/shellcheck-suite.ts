import { spawnSync } from "node:child_process";
import { expect, type TestContext } from "vitest";

/** Names that a text quotes may hold a dollar sign (SC2016), and a completion splits words on purpose (SC2207). */
const ALLOWED = "SC2016,SC2207";

/** Expects that shellcheck finds no fault in a text for bash. Skips the test if the machine has no shellcheck. */
export function expectSoundBash(context: TestContext, text: string): void {
  const words = ["--norc", "--shell=bash", "--format=gcc", `--exclude=${ALLOWED}`, "-"];
  const { error, stdout } = spawnSync("shellcheck", words, { input: text, encoding: "utf8" });
  context.skip(error !== undefined, "it needs shellcheck: apt-get install shellcheck");
  expect(stdout).toBe("");
}

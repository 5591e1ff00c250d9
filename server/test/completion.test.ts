import { execFileSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import { fakeHost } from "#cli/fake-host";
import { runCli } from "#cli/program";

async function script(shell: string): Promise<string> {
  const host = fakeHost();
  expect(await runCli(["completion", shell], host)).toBe(0);
  return host.printed.join("\n");
}

describe("in a real bash", () => {
  let bash: string;
  beforeAll(async () => {
    bash = await script("bash");
  });

  /** What is offered when Tab is pressed after these words, the last one of which is not complete. */
  function offered(...words: string[]): string[] {
    const ask = `COMP_WORDS=(reprise "$@"); COMP_CWORD=$#; _reprise; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const args = ["--norc", "-c", `${bash}\n${ask}`, "bash", ...words];
    return execFileSync("bash", args, { encoding: "utf8" }).split("\n").filter(Boolean);
  }

  test.each([
    [["sta"], ["start", "status"]],
    [["user", "d"], ["disable"]],
    [["user", "list", "--j"], ["--json"]],
    [
      ["upload", "-w", "fit", "--to"],
      ["--token-file", "--to"],
    ],
    [["download", "some"], []],
    [["nonsense", "x"], []],
  ])("%j", (words, expected) => {
    expect(offered(...words).sort()).toEqual([...expected].sort());
  });

  test("all commands at the beginning", () => {
    expect(offered("")).toEqual(expect.arrayContaining(["serve", "run", "create", "user", "completion"]));
  });
});

test("zsh and fish know the same commands", async () => {
  for (const shell of ["zsh", "fish"]) {
    expect(await script(shell)).toContain("download");
    expect(await script(shell)).toContain("token-file");
  }
});

test("another shell is told which there are", async () => {
  const host = fakeHost();
  expect(await runCli(["completion", "tcsh"], host)).toBe(2);
  expect(host.complained).toEqual(["tcsh: bash, zsh or fish is expected."]);
});

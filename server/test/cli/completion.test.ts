import { execFileSync, spawnSync } from "node:child_process";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";
import { shellQuote } from "#plumbing/text/shell-quote";
import { expectSoundBash } from "#plumbing/text/shellcheck-suite";

async function script(shell: string): Promise<string> {
  const cli = fakeCli();
  expect(await runCli(["completion", shell], cli)).toBe(0);
  return cli.printed.join("\n");
}

describe("in a real bash", () => {
  let bash: string;
  beforeAll(async () => {
    bash = await script("bash");
  });

  test("shellcheck finds no fault in the script", (context) => {
    expectSoundBash(context, bash);
  });

  /** Returns the completions after the words. The last word is incomplete. */
  function offered(...words: string[]): string[] {
    const ask = `COMP_WORDS=(reprise "$@"); COMP_CWORD=$#; _reprise; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const args = ["--norc", "-c", `${bash}\n${ask}`, "bash", ...words];
    return execFileSync("bash", args, { encoding: "utf8" }).split("\n").filter(Boolean);
  }

  test.each([
    [["sta"], ["start", "status"]],
    [
      ["user", "d"],
      ["disable", "delete"],
    ],
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

/** Completions offered by all shells after the words. */
const OFFERS: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
  [["sta"], ["start", "status"]],
  [
    ["user", "d"],
    ["disable", "delete"],
  ],
  [["user", "list", "--j"], ["--json"]],
  [
    ["upload", "--to"],
    ["--token-file", "--to"],
  ],
  [["restart", "--pl"], ["--plan"]],
];

describe("in a real zsh", () => {
  beforeEach((context) => context.skip(!has("zsh"), "it needs zsh: apt-get install zsh"));

  /**
   * Returns zsh's completions. zsh completes in its line editor only, so the arguments of `compadd` are
   * printed instead.
   */
  async function offered(...words: string[]): Promise<string[]> {
    const stand = 'compdef() {}; _files() {}; compadd() { shift; print -l -- "${(M)@:#$PREFIX*}"; }';
    const ask = 'words=(reprise "$@"); CURRENT=$(( $# + 1 )); PREFIX="${@[-1]}"; _reprise';
    const text = `${stand}\n${await script("zsh")}\n${ask}`;
    return execFileSync("zsh", ["-f", "-c", text, "zsh", ...words], { encoding: "utf8" })
      .split("\n")
      .filter(Boolean);
  }

  test.each(OFFERS)("%j", async (words, expected) => {
    expect((await offered(...words)).sort()).toEqual([...expected].sort());
  });
});

describe("in a real fish", () => {
  beforeEach((context) => context.skip(!has("fish"), "it needs fish: apt-get install fish"));

  /** Returns fish's completions with descriptions. */
  async function offered(...words: string[]): Promise<string[]> {
    const text = `${await script("fish")}\ncomplete -C ${shellQuote(`reprise ${words.join(" ")}`)}`;
    return execFileSync("fish", ["--no-config", "-c", text], { encoding: "utf8" })
      .split("\n")
      .filter(Boolean);
  }

  test.each(OFFERS)("%j", async (words, expected) => {
    const lines = await offered(...words);
    expect(new Set(lines.map((line) => line.split("\t")[0]))).toEqual(new Set(expected));
  });

  test("each with a sentence that is whole", async () => {
    expect(await offered("user", "disa")).toEqual([
      "disable\tLock a user out: the tokens are no longer accepted.",
    ]);
    expect(await offered("upload", "--token")).toEqual(["--token-file\ta file with the access token"]);
  });
});

function has(shell: string): boolean {
  return spawnSync(shell, ["-c", "true"]).status === 0;
}

test("another shell is refused with the list of supported ones", async () => {
  const cli = fakeCli();
  expect(await runCli(["completion", "tcsh"], cli)).toBe(2);
  expect(cli.errors).toEqual(["Unknown shell tcsh; use bash, zsh or fish."]);
});

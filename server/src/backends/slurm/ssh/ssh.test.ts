import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { remoteResult, remoteScript } from "#backends/slurm/ssh/remote-script";
import { sshProblem } from "#backends/slurm/ssh/ssh-problem";
import { Turns } from "#backends/slurm/ssh/turns";

describe("the script of a command on a login host", () => {
  const mark = "reprise-1";
  const resultOf = (program: string, ...words: readonly string[]) => {
    const input = remoteScript({ program, words, mark });
    const stdout = execFileSync("/bin/sh", { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] });
    return remoteResult({ code: 0, stdout: `banner 1\n${stdout}bye 2\n`, stderr: "" }, mark);
  };

  test("gives back output and exit code, without the lines before and after", () => {
    expect(resultOf("printf", "%s", "a'b\\\n$HOME")).toMatchObject({ code: 0, stdout: "a'b\\\n$HOME" });
    expect(resultOf("false")).toMatchObject({ code: 1, stdout: "" });
  });

  test("says that the program is absent", () => {
    expect(resultOf("program-of-nowhere")).toBe("absent");
  });

  test("has no result if the connection breaks", () => {
    expect(remoteResult({ code: 255, stdout: `\n${mark}\n17\n`, stderr: "" }, mark)).toBeUndefined();
    expect(remoteResult({ code: 0, stdout: "", stderr: "" }, mark)).toBeUndefined();
  });
});

test.each([
  ["root@h: Permission denied (publickey,password).", "asks for a password"],
  ["root@h: Permission denied (publickey,keyboard-interactive).", "asks for a password"],
  ["root@h: Permission denied (publickey).", "refuses the keys"],
  [
    "WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!\nHost key verification failed.",
    "ssh-keygen -R '[h]:22'",
  ],
  ["Host key verification failed.", "unknown host key"],
  ["ssh: Could not resolve hostname h: Name or service not known", "not known by this name"],
  ["spawn ssh ENOENT", "this machine has no ssh"],
  [
    "/x/config: line 1: Bad configuration option: foo\n/x/config: terminating, 1 bad configuration options",
    "ssh refuses its configuration",
  ],
  [
    "ssh: connect to host h port 22: Connection timed out",
    "does not answer: ssh: connect to host h port 22: Connection timed out",
  ],
  ["", "does not answer: the connection ended"],
])("the message %j of ssh is a sentence", (said, words) => {
  expect(sshProblem("ssh://root@h:22", said)).toContain(words);
});

test("turns limit the work under way, and an error frees the place", async () => {
  const turns = new Turns(2);
  let underWay = 0;
  let most = 0;
  const work = async (isBad: boolean) => {
    most = Math.max(most, ++underWay);
    await new Promise(setImmediate);
    underWay -= 1;
    if (isBad) throw new Error("bad");
  };
  const all = await Promise.allSettled(
    Array.from({ length: 9 }, (_, index) => turns.take(() => work(index % 2 === 0))),
  );
  expect([most, all.filter(({ status }) => status === "fulfilled").length]).toEqual([2, 4]);
});

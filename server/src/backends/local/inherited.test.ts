import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const FIXTURE = path.join(import.meta.dirname, "inherited-fixture.ts");

/** A server may inherit anything. A job inherits only files, signals and limits from the backend. */
describe("a job and the files, signals and limits that its server inherited", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "reprise-inherited-"));
    for (const name of ["jobs", "workspace"]) mkdirSync(path.join(folder, name));
    writeFileSync(path.join(folder, "secret"), "of the server");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Returns the output of a job of a server that was started after the shell command `before`. */
  function printed(before: string, script: string): string {
    const server = [
      process.execPath,
      FIXTURE,
      path.join(folder, "jobs"),
      path.join(folder, "workspace"),
      script,
    ];
    const { stdout, stderr } = spawnSync("bash", ["-c", `${before}; exec "$@"`, "bash", ...server], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    return stdout;
  }

  test.each(["ls -l /proc/self/fd", "ls -l /proc/self/fd; :"])(
    "jobs do not inherit open files: %s",
    (script) => {
      const files = printed("exec 7<secret 20<secret 240<secret", script);
      expect(files).toContain("-> /dev/null\n");
      expect(files).not.toContain("secret");
    },
  );

  test("slots and keeper do not inherit open files either", () => {
    // A slot or a keeper that is starting has not closed the inherited files. The brackets keep this script from finding itself.
    const all = `
      starting() { grep -lsa PARENT $(grep -lsa 'start-slots.s[h]\\|for open in /dev/f[d]' /proc/[0-9]*/cmdline); }
      while starting; do sleep 0.01; done >/dev/null
      for pid in /proc/[0-9]*; do grep -qsa PARENT $pid/cmdline && ls -l $pid/fd && tr '\\0' ' ' <$pid/cmdline; done`;
    const files = printed("exec 7<secret 240<secret", all.replaceAll("PARENT", path.join(folder, "jobs")));
    expect(files).toContain("keeper-process.ts");
    expect(files).toContain("slot.sh");
    // Both belong to the server.
    expect(files.split("\n").filter((line) => line.includes("secret")).length).toBe(2);
  });

  test("jobs do not inherit ignored signals", () => {
    const status = printed("trap '' INT QUIT PIPE TERM HUP", "cat /proc/self/status");
    expect(/^SigIgn:\s+(\S+)/m.exec(status)![1]).toBe("0000000000000000");
  });

  test("jobs do not read the server's standard input", () => {
    expect(printed("exec < secret", "cat; echo end")).toBe("end\n");
  });

  test("the file mode mask is", () => {
    expect(printed("umask 027", "umask")).toBe("0027\n");
  });

  test("jobs inherit only PATH from the server's environment", () => {
    const variables = printed("export SECRET=s LC_ALL=C PATH=$PATH:/extra BASH_ENV=/nowhere", "env | sort");
    expect(variables).toMatch(/^PATH=.*:\/extra$/m);
    expect(variables.match(/^\w+(?==)/gm)).toEqual([
      "HOME",
      "LANG",
      "PATH",
      "PWD",
      "REPRISE_JOB_ID",
      "REPRISE_JOB_MARK",
      "SHLVL",
      "_",
    ]);
  });
});

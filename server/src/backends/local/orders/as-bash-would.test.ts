import { spawnSync } from "node:child_process";
import { chmodSync, closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Backend } from "#backends/backend";
import { HOST_ID, type LocalFixture, sharedLocal } from "#backends/local/local-fixture";
import { markOfJob } from "#backends/process/table/marked-processes";
import { HOST_ENVIRONMENT } from "#backends/process/slots/host-environment";

/**
 * REANA runs every command with `bash -c`. Reprise runs some commands without bash, and nothing that a job
 * can see, print or return may differ from `bash -c` started with just the job's environment.
 */
describe("a command does what `bash -c` would do", () => {
  let local: LocalFixture;
  let backend: Backend;

  sharedLocal((opened) => void ({ local, backend } = opened));
  beforeAll(() => {
    const file = (name: string, text: string, mode: number) => {
      writeFileSync(path.join(local.workspaceFolder, name), text);
      chmodSync(path.join(local.workspaceFolder, name), mode);
    };
    file("no-shebang", "echo $0 $# $BASH_VERSION $-\n", 0o755);
    file("shebang", "#!/bin/sh\necho $0 $#\n", 0o755);
    file("bad-shebang", "#!/no/such/interpreter\n", 0o755);
    file("not-executable", "echo no\n", 0o644);
    file("broken-program", "\x7fELF but not really", 0o755);
  });

  const SEEN = "cat /proc/self/status";
  test.each([
    ["env", {}],
    ["env", { A: "b c", PYTHONPATH: "x", kind: "in_bash", given: "1", folder: "/", job: "9", pid: "3" }],
    ["env", { LC_ALL: "C", BASH_ENV: "/dev/null" }],
    [
      "env",
      {
        UID: "77",
        RANDOM: "x",
        IFS: ":",
        SECONDS: "y",
        SHELLOPTS: "braceexpand:hashall:interactive-comments",
      },
    ],
    ["env", { PATH: "/bin:/usr/bin" }],
    ["  env", {}],
    ["env; :", {}],
    ["\"env\" 'A=b c' env", {}],
    [`sh -c 'echo "$0" $# "$@" $PWD' a "b c" ""`, {}],
    ["ls -l /proc/self/fd/0", {}],
    ["cat /proc/self/cmdline", {}],
    ["true", {}],
    ["true --help", {}],
    ["false", {}],
    [":", {}],
    ["exit 7", {}],
    ["echo a  b", {}],
    ["echo -e 'a\\tb'", {}],
    ['printf "%s-" a "b c"', {}],
    ["printf %d x", {}],
    ["test -e no-shebang", {}],
    ["pwd", {}],
    ["claim", {}],
    ["serve", {}],
    ["no-such-program a b", {}],
    ["./no-such-program a b", {}],
    ["./no-shebang a", {}],
    ["./shebang a", {}],
    ["./bad-shebang a", {}],
    ["./not-executable a", {}],
    ["/", {}],
    [".", {}],
    ["time", { TIMEFORMAT: "timed" }],
    ["echo $0 $# $- $SHLVL ${BASH_SUBSHELL} ${OLDPWD-unset} ${!BASH_*} $_", {}],
    ["declare -F; alias; shopt -p; set +o; trap -p; ulimit -a; umask; jobs", {}],
    ["compgen -v | grep -v -e PPID -e BASHPID", {}],
    ["kill -PIPE $$", {}],
    ["sh -c 'kill -KILL $$'", {}],
    ["echo 'a", {}],
  ])("%j with %j", async (script, environment: Record<string, string>) => {
    const { id, end, log } = await local.run(backend, script, { environment });
    const home = path.join(local.folder, id, "scratch");
    const printed = path.join(local.folder, `printed-${id}`);
    const output = openSync(printed, "a");
    const real = spawnSync("bash", ["-c", script], {
      cwd: local.workspaceFolder,
      env: {
        ...HOST_ENVIRONMENT,
        HOME: home,
        ...environment,
        REPRISE_JOB_ID: id,
        REPRISE_JOB_MARK: markOfJob(HOST_ID, id),
      },
      stdio: ["ignore", output, output],
    });
    closeSync(output);
    const code = real.status ?? 128 + { SIGPIPE: 13, SIGKILL: 9 }[real.signal as "SIGPIPE" | "SIGKILL"];
    expect({ code: end.exitCode, lines: lines(log) }).toEqual({
      code,
      lines: lines(readFileSync(printed, "utf8")),
    });
  });

  test("jobs get the server's file mode mask, and no signal is ignored or blocked", async () => {
    for (const script of [SEEN, `${SEEN};`]) {
      const { log } = await local.run(backend, script);
      const own = readFileSync("/proc/self/status", "utf8");
      const field = (text: string, name: string) => new RegExp(`^${name}:\\s+(\\S+)`, "m").exec(text)?.[1];
      expect(field(log, "SigIgn")).toBe("0000000000000000");
      expect(field(log, "SigBlk")).toBe("0000000000000000");
      expect(field(log, "Umask")).toBe(field(own, "Umask"));
    }
  });
});

/** Sorts the lines: the order of environment variables means nothing, and both orders differ from run to run. */
function lines(text: string): string[] {
  return text.split("\n").toSorted();
}

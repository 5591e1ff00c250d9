import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { jobOf } from "#backends/backend-fixture";
import { bubblewrapWall } from "#backends/walls/bubblewrap";
import { callFilter } from "#backends/walls/call-filter";
import { NO_BUBBLEWRAP } from "#backends/walls/sandbox-fixture";
import { systemView } from "#backends/walls/system-view";
import type { Job } from "#workflow/job/job";
import { describeUnless } from "#plumbing/needs-suite";

/** A user id that no machine uses. Tests that do not run as root are ordinary users themselves. */
const IS_ROOT = process.getuid?.() === 0;
const USER = IS_ROOT ? { uid: 54_321, gid: 54_321 } : { uid: process.getuid!(), gid: process.getgid!() };

/** The sandbox of a server that an ordinary user runs: bubblewrap itself has no right that the user does not have. */
describeUnless(NO_BUBBLEWRAP)("a hostile job of a server that does not run as root", () => {
  let folder: string;
  const inFolder = (name: string) => path.join(folder, name);

  beforeAll(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "reprise-ordinary-"));
    for (const name of ["", "workspace", "attempt", "attempt/tmp", "attempt/scratch", "other"]) {
      if (name !== "") mkdirSync(inFolder(name));
      chownSync(inFolder(name), USER.uid, USER.gid);
    }
    for (const name of ["secret.key", "other/result", "attempt/record"]) {
      writeFileSync(inFolder(name), "of the server\n", { mode: 0o600 });
      chownSync(inFolder(name), USER.uid, USER.gid);
    }
    writeFileSync(inFolder("filter"), callFilter());
    chmodSync(inFolder("filter"), 0o644);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function run(
    script: string,
    change: Partial<Job> = {},
  ): Promise<{ code: number | null; log: string }> {
    const job = jobOf(script, change);
    const wall = bubblewrapWall({
      program: "/usr/bin/bwrap",
      system: systemView(),
      network: "on",
      mounts: [],
      isRoot: false,
      isProgram: () => false,
      filterFile: inFolder("filter"),
    });
    const { argv } = wall.around({
      id: "j",
      job,
      command: job.command,
      inherited: {},
      inside: {},
      workspaceFolder: inFolder("workspace"),
      attemptFolder: inFolder("attempt"),
      scratchFolder: inFolder("attempt/scratch"),
      isTimeCounted: false,
    });
    const filter = openSync(inFolder("filter"), "r");
    const child = spawn(argv[0], argv.slice(1), {
      cwd: inFolder("workspace"),
      env: { PATH: process.env["PATH"], HOME: inFolder("attempt/scratch") },
      stdio: ["ignore", "pipe", "pipe", ...Array.from({ length: 6 }, () => "ignore" as const), filter],
      ...(IS_ROOT && USER),
    });
    closeSync(filter);
    let log = "";
    for (const stream of [child.stdout!, child.stderr!])
      stream.on("data", (chunk: Buffer) => (log += String(chunk)));
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve({ code, log: log.trim() }));
    });
  }

  test("files belong to the ordinary user, and the job has no capability", async () => {
    const { log } = await run(
      "touch mine; id -u; grep -c '^Cap.*0000000000000000$' /proc/self/status; grep NoNewPrivs /proc/self/status",
    );
    expect(log).toBe(`${USER.uid}\n5\nNoNewPrivs:\t1`);
    expect(statSync(inFolder("workspace/mine")).uid).toBe(USER.uid);
  });

  test("it sees no file of the server, no other run and no record", async () => {
    const { log } = await run(
      `cat ${folder}/secret.key ${folder}/other/result ${folder}/attempt/record; ls -A ${folder} ~/..`,
    );
    expect(log).not.toContain("of the server");
    // The folders on the way to its own exist, and are empty.
    expect(log).toContain(`${folder}:\nattempt\nworkspace\n`);
    expect(log).toMatch(/\nscratch$/);
  });

  test("a job sees and signals only processes of the job", async () => {
    const { log } = await run("ls -d /proc/[0-9]* | wc -l; kill -9 -1; echo alive");
    expect(Number(log.split("\n")[0])).toBeLessThan(10);
    expect(log).toMatch(/^alive$/m);
  });

  test("a job mounts no file system, makes no namespace, and changes no part of the system", async () => {
    const attempts = [
      "mount -t tmpfs none /tmp",
      "unshare --user true",
      "unshare --mount true",
      "touch /usr/x /etc/x /x",
    ];
    const { log } = await run(
      attempts.map((attempt) => `{ ${attempt}; } 2> /dev/null && echo '${attempt}'`).join("\n"),
    );
    expect(log).toBe("");
  });

  test("without the network it reaches no address", async () => {
    expect(
      (await run("ls /sys/class/net 2> /dev/null; cat /proc/net/dev | wc -l", { network: "none" })).log,
    ).toBe("3");
  });

  test("a fork bomb is gone with all processes after the end of the command", async () => {
    const bomb =
      "mkfifo p; exec 8<> p 2> /dev/null; ulimit -u 60; bomb() { bomb | bomb & }; bomb; read -r -t 0.3 -u 8; exit 4";
    expect((await run(bomb)).code).toBe(4);
    await expect.poll(() => processesIn(folder)).toEqual([]);
  });
});

/** Returns the processes of this machine that started in the folder or name the folder. */
function processesIn(folder: string): readonly string[] {
  return readdirSync("/proc").filter(
    (pid) => /^\d+$/.test(pid) && pid !== String(process.pid) && names(pid, folder),
  );
}

function names(pid: string, folder: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`HOME=${folder}`);
  } catch {
    return false; // the process has ended
  }
}

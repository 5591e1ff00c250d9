import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Backend } from "#backends/backend";
import { processesWith, uniqueSleep } from "#backends/backend-fixture";
import { findCgroups } from "#backends/process/cgroups/find-cgroups";
import { openJobGroups } from "#backends/process/cgroups/job-groups";
import { exchanging } from "#backends/local/exchange-fixture";
import { type LocalFixture, localFixture } from "#backends/local/local-fixture";
import { NO_BUBBLEWRAP } from "#backends/walls/sandbox-fixture";
import { openSandbox } from "#backends/walls/sandbox";
import type { Wall } from "#backends/walls/wall";
import type { Job } from "#workflow/job/job";
import { describeUnless } from "#plumbing/needs-suite";

const FOUND = findCgroups();
const CAN_COUNT = !("problem" in FOUND) && openJobGroups(FOUND, randomUUID()).countTime;
/**
 * If the kernel counts the processor time of a job, the first process of its namespace is a different
 * program.
 */
const KINDS = [{ isCounted: false }, ...(CAN_COUNT ? [{ isCounted: true }] : [])];

/**
 * Tries what a job in the sandbox can do to the server, to other jobs and to the machine: each line of SECURITY.md's
 * table.
 */
describeUnless(NO_BUBBLEWRAP).each(KINDS)("a hostile job in the sandbox: %j", ({ isCounted }) => {
  let local: LocalFixture;
  let wall: Wall;
  let backend: Backend;
  /** A file beside the folder of jobs, as the server's keys are. */
  let key: string;
  let other: string;
  const abstractName = `reprise-${randomUUID()}`;
  const listeners: net.Server[] = [];
  let port: number;
  let socket: string;

  beforeAll(async () => {
    local = await localFixture();
    const sandbox = await openSandbox(local.folder, { network: "on", mounts: [] });
    if (!("wall" in sandbox)) throw new Error(sandbox.problem);
    wall = sandbox.wall;
    const hostId = randomUUID();
    const groups = isCounted && !("problem" in FOUND) ? openJobGroups(FOUND, hostId) : undefined;
    backend = local.open({ wall, groups, hostId, maxOutputBytes: 2 ** 20 });
    key = path.join(local.folder, "secret.key");
    writeFileSync(key, "the key of the server\n", { mode: 0o600 });
    other = path.join(local.folder, "other-workspace");
    mkdirSync(other);
    writeFileSync(path.join(other, "result"), "of another run\n");
    socket = path.join(local.folder, "service.sock");
    const services = [{ port: 0, host: "127.0.0.1" }, { path: `\0${abstractName}` }, { path: socket }];
    for (const at of services) listeners.push(await listening(at));
    port = (listeners[0]!.address() as net.AddressInfo).port;
  });
  afterAll(async () => {
    for (const listener of listeners) listener.close();
    await local.close();
  });

  const run = (script: string, change?: Partial<Job>) => local.run(backend, script, change);
  const printed = async (script: string, change?: Partial<Job>) => (await run(script, change)).log.trim();

  test.each(["printf '%(%Y)T' 0", "test -v HOME", "test a '<' b", "echo --version", "true --help"])(
    "a builtin of bash is not the program of that name: %s",
    async (script) => {
      const { log, end } = await run(script);
      const real = spawnSync("bash", ["-c", script], {
        encoding: "utf8",
        env: { ...process.env, TZ: "UTC" },
      });
      expect({ log, code: end.exitCode }).toEqual({ log: real.stdout, code: real.status });
    },
  );

  test("data folder: the job sees no file of the server, not even through a link", async () => {
    const script = `cat ${key}; ln -s ${key} link; cat link; cat /proc/1/root${key}; ls ${local.folder}`;
    const { id, log } = await run(script);
    expect(log).not.toContain("the key of the server");
    // The folders on the way to its own home exist, and are empty.
    expect(log.trim().split("\n").at(-1)).toBe(id);
  });

  test("links out: a folder that the job may write to cannot be one", async () => {
    symlinkSync(other, path.join(local.workspaceFolder, "out"));
    const { end, log } = await run("echo spoilt > out/result", { writable: ["out"] });
    expect(end.exitCode).toBe(126);
    expect(log).toBe("reprise: The job cannot have out: it is a link, or behind one.\n");
    expect(readFileSync(path.join(other, "result"), "utf8")).toBe("of another run\n");
  });

  test("links out: a link exchanged with a file during the start gives the job no access", async () => {
    writeFileSync(path.join(local.workspaceFolder, "given"), "its input\n");
    symlinkSync(key, path.join(local.workspaceFolder, "exchanged"));
    await exchanging(local.workspaceFolder, ["given", "exchanged"], () =>
      Promise.all([
        ...times(30, async () => expect((await run("cat", { stdin: "given" })).log).not.toContain("the key")),
        ...times(30, () => run("echo spoilt", { stdout: "given" })),
      ]),
    );
    expect(readFileSync(key, "utf8")).toBe("the key of the server\n");
  });

  test("links out: a link exchanged with a folder during the start gives the job no access", async () => {
    const keys = path.join(local.folder, "keys");
    mkdirSync(keys);
    writeFileSync(path.join(keys, "name"), "another key\n");
    mkdirSync(path.join(local.workspaceFolder, "folder"));
    writeFileSync(path.join(local.workspaceFolder, "folder", "name"), "its own\n");
    symlinkSync(keys, path.join(local.workspaceFolder, "to-keys"));
    const ways: Partial<Job>[] = [
      { mounts: [{ from: "folder", at: "/given", mode: "write" }] },
      { mounts: [{ from: "folder/name", at: "/given/name", mode: "write" }] },
      { writable: ["folder"] },
    ];
    const script = "cat /given/name folder/name; echo spoilt | tee /given/name folder/name";
    await exchanging(local.workspaceFolder, ["folder", "to-keys"], () =>
      Promise.all(
        times(90, async (count) => {
          expect((await run(script, ways[count % ways.length])).log).not.toContain("another key");
        }),
      ),
    );
    expect(readFileSync(path.join(keys, "name"), "utf8")).toBe("another key\n");
  });

  test("other runs: the job sees no foreign workspace", async () => {
    expect(await printed(`ls ${other} ${path.dirname(local.workspaceFolder)} 2>&1`)).not.toContain("result");
    expect(await printed(`echo spoilt > ${other}/result; mkdir -p ${other}; true`)).not.toContain(
      "of another",
    );
    expect(readFileSync(path.join(other, "result"), "utf8")).toBe("of another run\n");
  });

  test("the job's record and log are out of reach", async () => {
    const script = "ls -A ~/..; echo 'ended 0 1 .' >> ~/../record; rm -rf ~/../log; exit 3";
    const { id, end, log } = await run(script);
    expect(end).toMatchObject({ reason: "exited", exitCode: 3 });
    expect(log.split("\n")[0]).toBe("scratch");
    expect(await local.record(id)).toContain("\nended 3 ");
    expect(await local.record(id)).not.toContain("\nended 0 ");
  });

  test("environment of the server: no process shows it", async () => {
    process.env["REPRISE_TEST_KEY"] = "of-the-environment";
    const log = await printed("cat /proc/[0-9]*/environ | tr '\\0' '\\n'");
    delete process.env["REPRISE_TEST_KEY"];
    expect(log).toContain("REPRISE_JOB_ID=");
    expect(log).not.toContain("of-the-environment");
  });

  test("foreign processes: the job sees and signals only descendants", async () => {
    const log = await printed(
      `ls -d /proc/[0-9]* | wc -l; kill -0 ${process.pid} && echo reached; kill -0 1; id -u`,
    );
    expect(Number(log.split("\n")[0])).toBeLessThan(10);
    expect(log).not.toContain("reached");
    // The kill ends all processes but the shell itself.
    expect((await run("sleep 1000 & kill -9 -1; exit 3")).end.exitCode).toBe(3);
  });

  test("ptrace: the job attaches to no process outside", async () => {
    expect(
      await python(`ctypes.set_errno(0); libc.ptrace(16, ${process.pid}, 0, 0); done(ctypes.get_errno())`),
    ).toBe("3");
  });

  test("network: a job without it reaches no service of this machine, by any kind of socket", async () => {
    const attempts = [
      `attempt(socket.AF_INET, ("127.0.0.1", ${port}))`,
      `attempt(socket.AF_UNIX, "\\0${abstractName}")`,
      `attempt(socket.AF_UNIX, "${socket}")`,
    ];
    expect(await python(attempts.join("\n"), { network: "none" })).toBe("refused\nrefused\nrefused");
    expect(await python(attempts[0]!)).toBe("reached");
    expect(await python(attempts[2]!)).toBe("refused");
  });

  test("set-user-ID programs and capabilities: they give the job no right", async () => {
    const status = await printed("cat /proc/self/status");
    expect(/^NoNewPrivs:\s+(\d)/m.exec(status)?.[1]).toBe("1");
    for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"])
      expect(new RegExp(`^${set}:\\s+0+$`, "m").test(status)).toBe(true);
  });

  test("mounts, namespaces and the kernel's settings: they are refused", async () => {
    const attempts = [
      "mount -t tmpfs none /tmp",
      "umount /dev/shm",
      "unshare --user true",
      "unshare --mount true",
      "mknod device c 1 3",
      "chroot / true",
      "echo core > /proc/sys/kernel/core_pattern",
      "echo h > /proc/sysrq-trigger",
      "touch /usr/reprise /etc/reprise /reprise /dev/reprise",
    ];
    const log = await printed(
      attempts.map((attempt) => `{ ${attempt}; } 2> /dev/null && echo '${attempt}'`).join("\n"),
    );
    expect(log).toBe("");
  });

  test("keyrings: the job reads no key of the server's session", async () => {
    const calls = os.arch() === "arm64" ? [217, 218, 219] : [248, 249, 250];
    const code = calls.map(
      (call) => `ctypes.set_errno(0); libc.syscall(${call}, 0, -3, 0, 0, 0); done(ctypes.get_errno())`,
    );
    expect(await python(code.join("\n"))).toBe("1\n1\n1");
  });

  test.each(["full", "none"] as const)(
    "network: %s, no socket leads to the host of a virtual machine",
    async (network) => {
      const code =
        "for family in [1, 2, 10, 16, 17, 38, 40]:\n  try: socket.socket(family, 3 if family == 16 else 1); done(family)\n  except OSError: pass";
      expect(await python(code, { network })).toBe("1\n2\n10\n16");
    },
  );

  test("keys of the machine: a server that runs as root hides them", async () => {
    expect(await printed("cat /etc/shadow /etc/gshadow /etc/ssl/private/* 2> /dev/null; echo end")).toBe(
      "end",
    );
  });

  test("a preloaded library: it is loaded behind the wall, not in front of it", async () => {
    const environment = { LD_PRELOAD: path.join(local.workspaceFolder, "evil.so") };
    const { log } = await run("echo ran", { environment });
    expect(log).toContain("evil.so");
    expect(log).not.toContain("bwrap");
    expect(log).toMatch(/ran\n$/);
  });

  test("daemons: when the command ends, nothing of the job is left, marked or not", async () => {
    const long = uniqueSleep();
    const { end } = await run(
      `for ((i = 0; i < 100; i++)); do env -i setsid -f ${long} < /dev/null > /dev/null 2>&1; done`,
    );
    expect(end.exitCode).toBe(0);
    await expect.poll(() => processesWith(long)).toEqual([]);
  });

  test("a killed supervisor takes the job with it", async () => {
    const long = uniqueSleep();
    const job = local.request(`env -i setsid ${long} & echo up > up; wait`);
    await backend.submit(job);
    await local.written("up");
    const owner = /claimed (\d+)/.exec(await local.record(job.id))![1];
    process.kill(Number(owner), "SIGKILL");
    await expect.poll(() => processesWith(long)).toEqual([]);
  });

  test("processor time: what processes in another session used counts as the job's", async () => {
    const { id, end } = await run(
      "setsid -w bash -c 'for ((i = 0; i < 300000; i++)); do :; done; times > used'; true",
    );
    const [, seconds] = /^0m([\d.]+)s/.exec(await local.written("used"))!;
    expect(end.usage!.cpuMs).toBeGreaterThan(Number(seconds) * 1000 * 0.9);
    expect((await local.record(id)).includes("\ncounted ")).toBe(isCounted);
  });

  test("a stop: the job has a grace period, and a job that ignores every signal is killed", async () => {
    const polite = local.request(
      "trap 'echo tidy > tidy; exit 6' TERM; kill -INT 0; echo up > polite; while :; do sleep 0.05; done",
      {
        command: {
          script:
            "trap '' INT; trap 'sleep 0.2; echo tidy > tidy; exit 6' TERM; kill -INT 0; echo up > polite; while :; do sleep 0.05; done",
        },
      },
    );
    await backend.submit(polite);
    await local.written("polite");
    expect(await backend.cancel(polite)).toMatchObject({ reason: "cancelled", exitCode: 6 });
    expect(await local.written("tidy")).toBe("tidy");
    const rude = local.request("trap '' TERM INT HUP QUIT; echo up > rude; while :; do sleep 0.05; done");
    await backend.submit(rude);
    await local.written("rude");
    expect(await backend.cancel(rude)).toMatchObject({ reason: "cancelled", exitCode: 137 });
  });

  test("a time limit: the job has its grace time too", async () => {
    const script = "trap 'echo tidy > tidied; exit 6' TERM; while :; do sleep 0.05; done";
    expect((await run(script, { limits: { timeMs: 2000 } })).end).toMatchObject({ reason: "time-limit" });
    expect(await local.written("tidied")).toBe("tidy");
  });

  test("temporary files: they are on the disk, private to the job, and gone after it", async () => {
    const file = `/tmp/${randomUUID()}`;
    const { id, end } = await run(
      `echo x > ${file}; mkdir /tmp/.hidden; df --output=fstype /tmp | tail -1 > type`,
    );
    expect(end.exitCode).toBe(0);
    expect(existsSync(file)).toBe(false);
    await expect.poll(() => readdirSync(path.join(local.folder, id))).not.toContain("tmp");
  });

  test("a sparse file of 1 TB and a big share of memory stay within the job's own folders", async () => {
    const { end } = await run("truncate -s 1T sparse && head -c 2G /dev/zero > /dev/shm/big", {});
    expect(end.exitCode).toBe(1);
  });

  test("files belong to the user of the server, whatever user the job takes itself for", async () => {
    const { log } = await run("touch mine; id -u; stat -c %u mine");
    const [user, owner] = log.trim().split("\n");
    expect(owner).toBe(user);
    expect(readFileSync("/proc/self/status", "utf8")).toContain(`Uid:\t${process.getuid!()}`);
  });

  /** Runs Python behind the wall, with the C library as `libc`. */
  async function python(code: string, change?: Partial<Job>): Promise<string> {
    const prelude = [
      "import ctypes, socket, sys",
      "libc = ctypes.CDLL(None, use_errno=True)",
      "done = print",
      "def attempt(family, address):",
      "  with socket.socket(family) as end:",
      "    try: end.connect(address); print('reached')",
      "    except OSError: print('refused')",
    ];
    const argv = ["python3", "-c", `${prelude.join("\n")}\n${code}`] as const;
    const { log } = await run("", { command: { argv }, ...change });
    return log.trim();
  }
});

function times<Result>(count: number, make: (index: number) => Result): Result[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function listening(at: net.ListenOptions): Promise<net.Server> {
  const server = net.createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(at, () => resolve(server));
  });
}

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Backend, JobRequest } from "#backends/backend";
import { appears, type Ends, jobOf, watchEnds } from "#backends/backend-fixture";
import { containerName } from "#backends/containers/end-container";
import { openContainers } from "#backends/containers/containers-fixture";
import {
  BASH_IMAGE,
  ENTRYPOINT_IMAGE,
  NO_PODMAN,
  openPodman,
  PLAIN_IMAGE,
  type Podman,
} from "#backends/containers/podman-fixture";
import { privateUser } from "#backends/containers/private-user";
import { readRecord } from "#backends/process/attempt/record";
import { BOOT_ID } from "#backends/local/local-fixture";
import { statFields } from "#backends/process/table/process-table";
import { maybeProgram } from "#plumbing/files/find-program";
import { systemRandom } from "#plumbing/ids";
import type { Job } from "#workflow/job/job";
import { describeUnless, testUnless } from "#plumbing/needs-suite";

const HOST = "host-of-containers";
const PYTHON_IMAGE = "localhost/with-python:1";
const IS_ROOT = process.getuid?.() === 0;
/** The number of REANA's user, which belongs to a person on some machines. */
const USER = IS_ROOT ? privateUser(1000) : 1000;

describeUnless(NO_PODMAN)("a job in a container", () => {
  let podman: Podman;
  let folder: string;
  let workspaceFolder: string;
  let backend: Backend;
  let ends: Ends;
  const inWorkspace = (file: string) => path.join(workspaceFolder, file);

  beforeAll(() => {
    podman = openPodman();
    const ctypes = execFileSync("python3", ["-c", "import _ctypes; print(_ctypes.__file__)"], {
      encoding: "utf8",
    });
    podman.addImage("localhost/with-ctypes:1", [ctypes.trim()], {});
    podman.addPython(PYTHON_IMAGE);
  });
  afterAll(() => podman.close());
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-jobs-"));
    workspaceFolder = await mkdtemp(path.join(os.tmpdir(), "reprise-workspace-"));
    backend = openContainers(podman, folder, HOST);
    ends = watchEnds(backend);
  });
  afterEach(async () => {
    await backend.close();
    const left = podman.containers();
    if (left.length > 0) throw new Error(`Containers are left: ${left.join(", ")}`);
    await rm(folder, { recursive: true, force: true });
    await rm(workspaceFolder, { recursive: true, force: true });
  });

  const request = (script: string, change: Partial<Job> = {}): JobRequest => ({
    id: systemRandom.uuid(),
    job: jobOf(script, { image: BASH_IMAGE, ...change }),
    workspaceFolder,
    hostToken: BOOT_ID,
  });
  const run = async (job: JobRequest) => {
    await backend.submit(job);
    const end = await ends.of(job.id);
    return { end, log: String(await backend.readLog(job.id, 0, 2 ** 20)) };
  };

  test("runs as REANA's user, and its files belong to the server's", async () => {
    mkdirSync(inWorkspace("deep"));
    writeFileSync(inWorkspace("deep/given"), "given\n", { mode: 0o600 });
    const script =
      "id -u; id -g; cat deep/given; umask 077; mkdir made; echo x > made/file; ln -s nowhere made/link";
    const { end, log } = await run(request(script));
    expect(log).toBe(`${USER}\n0\ngiven\n`);
    expect(end).toMatchObject({ exitCode: 0, imageDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
    for (const file of ["made", "made/file"]) expect(statSync(inWorkspace(file)).uid).toBe(process.getuid!());
    const other = await run(request("id -u", { user: { uid: 500, gid: 0 } }));
    expect(other.log).toBe("500\n");
  });

  testUnless(IS_ROOT ? undefined : "it needs root")(
    "a job is not a person of the machine, and its files belong to the server's user",
    async () => {
      const nobody = 65_534;
      const { log } = await run(request("id -u; echo x > made", { user: { uid: nobody, gid: 0 } }));
      expect(log).toBe(`${0x7000_0000 + nobody}\n`);
      expect(statSync(inWorkspace("made")).uid).toBe(process.getuid!());
    },
  );

  test.each(["full", "none"] as const)(
    "network %s: a job reads no keyring, and its sockets stay here",
    async (network) => {
      const code = [
        "import ctypes, os, socket",
        "libc = ctypes.CDLL(None, use_errno=True)",
        `calls = ${process.arch === "arm64" ? "[217, 218, 219, 425]" : "[248, 249, 250, 425]"}`,
        "print([libc.syscall(call, 0, -3, 0, 0, 0) for call in calls])",
        "for family in [1, 2, 10, 16, 38, 40]:",
        "  try: socket.socket(family, 3 if family == 16 else 1); print(family)",
        "  except OSError: pass",
        "os.waitpid(os.fork() or os._exit(7), 0)",
        "import threading; threading.Thread(target=lambda: print('thread')).start()",
      ].join("\n");
      const argv = ["python3", "-c", code] as const;
      const { log } = await run(request("", { image: PYTHON_IMAGE, command: { argv }, network }));
      expect(log).toBe("[-1, -1, -1, -1]\n1\n2\n10\n16\nthread\n");
    },
  );

  test("a file system in memory of its own does not hide memory from the limit", async () => {
    const fill = "mount -t tmpfs none /tmp && head -c 400000000 /dev/zero > /tmp/big && echo filled";
    const script = `unshare -U -r -m sh -c '${fill}'; head -c 60000000 /dev/zero > /dev/shm/some; exit 0`;
    const { log } = await run(request(script, { limits: { memoryBytes: 100 * 2 ** 20 } }));
    expect(log).not.toContain("filled");
  });

  testUnless(IS_ROOT ? undefined : "it needs root")(
    "the kernel ends a job that fills memory faster than it is measured",
    async () => {
      const code = "import mmap; held = mmap.mmap(-1, 400 << 20); held.write(bytes(400 << 20))";
      const argv = ["python3", "-c", code] as const;
      const limits = { memoryBytes: 60 * 2 ** 20 };
      const { end } = await run(request("", { image: PYTHON_IMAGE, command: { argv }, limits }));
      expect(end).toMatchObject({ reason: "out-of-memory" });
    },
  );

  test("the files of a job that had to be killed belong to the server's user", async () => {
    mkdirSync(inWorkspace("deep"));
    const job = request("trap '' TERM; echo x > deep/file; for ((;;)); do sleep 1; done");
    await backend.submit(job);
    await expect.poll(() => existsSync(inWorkspace("deep/file"))).toBe(true);
    expect(statSync(inWorkspace("deep/file")).uid).toBe(IS_ROOT ? USER : process.getuid!());
    expect(await backend.cancel(job)).toMatchObject({ reason: "cancelled" });
    expect(statSync(inWorkspace("deep/file")).uid).toBe(process.getuid!());
  });

  test("an ENTRYPOINT is kept for a program, and not for a script", async () => {
    const program = { image: ENTRYPOINT_IMAGE, command: { argv: ["a b", "c"] as const } };
    expect((await run(request("", program))).log).toBe("entry a b c\n");
  });

  test("an image without bash ends the job with a sentence", async () => {
    const { end } = await run(request("echo x", { image: PLAIN_IMAGE }));
    expect(end).toMatchObject({ reason: "exited", exitCode: 127 });
    expect(end.detail).toContain(`The image ${PLAIN_IMAGE} has no such program`);
    expect(end.detail).toContain("run by bash, which the image must contain");
  });

  test("a command that ran and failed like podman has started", async () => {
    const { end } = await run(request("echo ran; echo 'Error: no space left' >&2; exit 125"));
    expect(end).toMatchObject({ reason: "exited", exitCode: 125 });
    expect(end.detail).toBeUndefined();
  });

  test.each([
    ["localhost/absent:1", "For `reprise cwl-runner`, leave out --disable-pull."],
    ["UPPER CASE", "cannot be the name of an image"],
    ["docker.io/forbidden/x", "Image not allowed: docker.io/forbidden/x"],
  ])("the image %s is refused, and the job never starts", async (image, sentence) => {
    const job = request("echo ran > count", { image });
    await expect(backend.submit(job)).rejects.toThrow(sentence);
    expect(await backend.cancel(job)).toMatchObject({ reason: "not-started" });
    expect(existsSync(inWorkspace("count"))).toBe(false);
  });

  test("sees the user's secrets in REANA's places, and no secrets of other users", async () => {
    const secrets = {
      environment: { TOKEN: "t0ken", LINES: "one\ntwo", CONTAINERS_CONF: "/nowhere", LD_PRELOAD: "" },
      files: new Map([["key", Buffer.from("k3y")]]),
    };
    const script =
      'echo "$TOKEN"; echo "$LINES"; cat /etc/reana/secrets/key "$REANA_SECRETS_DIR/key"; echo; echo $CONTAINERS_CONF';
    const job = request(`${script}; echo up > up; read -r code < gate`);
    execFileSync("mkfifo", [inWorkspace("gate")]);
    const running = run({ ...job, secrets });
    await appears(inWorkspace("up"));
    const commands = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
    expect(commands).toContain(containerName(HOST, job.id));
    for (const secret of ["t0ken", "k3y"]) expect(commands).not.toContain(secret);
    writeFileSync(inWorkspace("gate"), "0\n");
    expect((await running).log).toBe("t0ken\none\ntwo\nk3yk3y\n/nowhere\n");
    expect(existsSync(path.join(folder, job.id, "secrets"))).toBe(false);
  });

  test("writes only to the named folders, and reaches no file of the server", async () => {
    mkdirSync(inWorkspace("out"));
    const script = `echo x > no; echo y > out/yes; ls ${folder} | wc -l; cat ${folder}/*/record; ls /home /var 2>&1 | wc -l`;
    const { log } = await run(request(script, { writable: ["out"] }));
    expect(log).toMatch(/no: Read-only file system/);
    expect(log).toMatch(/record'?: No such file/);
    expect(existsSync(inWorkspace("no"))).toBe(false);
    expect(readFileSync(inWorkspace("out/yes"), "utf8")).toBe("y\n");
  });

  test("is in its container also if the slot of an earlier server that was about to run it was killed", async () => {
    const job = request("id -u");
    const attempt = path.join(folder, job.id);
    mkdirSync(attempt);
    const held = `exec 4>>${attempt}/record 5>>${attempt}/log; echo up; read -r _`;
    const slot = spawn("bash", ["-c", held, "slot.sh"], { stdio: ["pipe", "pipe", "ignore"] });
    await once(slot.stdout, "data");
    writeFileSync(path.join(folder, "slots", String(slot.pid)), statFields(slot.pid!)![19]!);
    expect(await backend.submit(job)).toEqual({ status: "running" });
    slot.kill("SIGKILL");
    expect(await ends.of(job.id)).toMatchObject({
      exitCode: 0,
      imageDigest: expect.stringMatching(/^sha256:/),
    });
    expect(String(await backend.readLog(job.id, 0, 100))).toBe(`${USER}\n`);
  });

  test("reports the processor time of a running job and of the processes that it has started", async () => {
    const job = request("(while :; do :; done) & while :; do :; done");
    const running = run(job);
    const soFar = () => backend.cpuMsSoFar!([job.id]);
    await expect.poll(soFar).toBeGreaterThan(100);
    const early = await soFar();
    await expect.poll(soFar).toBeGreaterThan(early);
    await expect
      .poll(() => readFileSync(path.join(folder, job.id, "record"), "utf8"))
      .toMatch(/^cpu \d+ \.$/m);
    await backend.cancel(job);
    const { end } = await running;
    // Two loops for a second: the client of podman alone would take less.
    expect(end.usage).toMatchObject({ sampled: ["cpuMs", "peakBytes"] });
    expect(end.usage!.cpuMs).toBeGreaterThan(100);
    expect(await soFar()).toBe(0);
  });

  test("a job waits while the disk of podman is full, and continues by itself", async () => {
    let bavail = 1;
    const measureDisk = () => ({ bsize: 2 ** 20, blocks: 1000, bavail });
    const full = openContainers(podman, folder, HOST, { measureDisk });
    const end = watchEnds(full);
    const job = request("echo ran");
    expect(await full.submit(job)).toEqual({
      status: "queued",
      reason: expect.stringContaining("which has 1 MiB free and needs at least 50 MiB"),
    });
    bavail = 50;
    expect(await end.of(job.id)).toMatchObject({ exitCode: 0 });
    await full.close();
  });

  test("the processor time of an ended job includes processes with ended parents", async () => {
    const busy = "for ((i = 0; i < 300000; i++)); do :; done; times > used";
    const { end } = await run(request(`(${busy}; exec yes) & exec sleep 1000`));
    expect(end.reason).toBe("output-limit");
    const [, seconds] = /^0m([\d.]+)s/.exec(readFileSync(inWorkspace("used"), "utf8"))!;
    expect(end.usage!.cpuMs).toBeGreaterThan(Number(seconds) * 1000 * 0.9);
  });

  test("a job with too many processes is ended, and so is a job that writes too much", async () => {
    await backend.close();
    backend = openContainers(podman, folder, HOST, { maxProcesses: 20, local: { maxProcesses: 20 } });
    ends = watchEnds(backend);
    const many = request("for i in $(seq 60); do sleep 1000 & done 2>/dev/null; wait");
    const much = request("head -c 3000000 /dev/zero > x; sleep 1000", { limits: { diskBytes: 2 ** 20 } });
    const [{ end: first }, { end: second }] = await Promise.all([run(many), run(much)]);
    expect(first).toMatchObject({ reason: "process-limit" });
    expect(second).toMatchObject({ reason: "disk-limit" });
  });

  test.each(["/etc", "link", "absent", "/cvmfs/no-such-repository"])(
    "a mount of %s is refused",
    async (from) => {
      execFileSync("ln", ["-s", "/etc", inWorkspace("link")]);
      const job = request("true", { mounts: [{ from, at: "/data", mode: "read" }] });
      await expect(backend.submit(job)).rejects.toThrow(`The job cannot have ${from} in its container`);
      await backend.cancel(job);
    },
  );

  test.each([
    ["what it mounts", { mounts: [{ from: "given", at: "/given", mode: "read" }] }],
    ["what it may write", { writable: ["given"] }],
  ] as const)(
    "%s: a link put in place before podman binds the folder gives the job no access",
    async (_, change) => {
      const keys = path.join(folder, "keys");
      mkdirSync(keys);
      writeFileSync(path.join(keys, "key"), "the key of the server\n");
      mkdirSync(inWorkspace("given"));
      writeFileSync(path.join(inWorkspace("given"), "key"), "its own\n");
      const script = "cat /given/key given/key 2> /dev/null; echo spoilt > given/key";
      expect((await run(request(script, change))).log).toContain("its own\n");
      const real = maybeProgram("podman")!;
      const place = inWorkspace("given");
      const wrapper = path.join(folder, "programs", "podman");
      mkdirSync(path.dirname(wrapper));
      const exchange = `case " $* " in *" run "*) rm -rf ${place}; ln -s ${keys} ${place} ;; esac`;
      writeFileSync(wrapper, `#!/bin/bash\n${exchange}\nexec ${real} "$@"\n`, { mode: 0o755 });
      await backend.close();
      vi.stubEnv("PATH", `${path.dirname(wrapper)}:${process.env["PATH"]}`);
      backend = openContainers(podman, folder, HOST);
      ends = watchEnds(backend);
      mkdirSync(place, { recursive: true });
      const { end, log } = await run(request(script, change));
      vi.unstubAllEnvs();
      expect(end).toMatchObject({ reason: "exited", exitCode: 126 });
      expect(end.detail).toContain("a part of its workspace was replaced by a link at that moment");
      expect(log).not.toContain("the key");
      expect(readFileSync(path.join(keys, "key"), "utf8")).toBe("the key of the server\n");
    },
  );

  /** Ends one of the processes that stand between the server and the command. */
  const KILLS: Readonly<Record<string, (job: JobRequest) => void>> = {
    "its slot": ({ id }) => {
      const { owner } = readRecord(path.join(folder, id));
      if (typeof owner === "object") process.kill(owner.pid, "SIGKILL");
    },
    "the program of the slot": ({ id }) => process.kill(readRecord(path.join(folder, id)).group!, "SIGKILL"),
    "the whole group": ({ id }) => process.kill(-readRecord(path.join(folder, id)).group!, "SIGKILL"),
    "its monitor": ({ id }) => {
      const [pid] = pidsNaming(containerName(HOST, id), "conmon");
      process.kill(pid!, "SIGKILL");
    },
  };

  test.each(Object.keys(KILLS))(
    "if %s is killed, nothing is left, and the command does not run again",
    async (what) => {
      const job = request("echo ran >> count; echo up > up; sleep 1000; :");
      const running = run(job);
      await appears(inWorkspace("up"));
      KILLS[what]!(job);
      const { end } = await running;
      expect(end.exitCode === null || end.exitCode > 0).toBe(true);
      expect(await backend.submit(job)).toEqual({ status: "ended", end });
      expect(pidsNaming(containerName(HOST, job.id), "")).toEqual([]);
      expect(readFileSync(inWorkspace("count"), "utf8")).toBe("ran\n");
    },
  );
});

function pidsNaming(name: string, program: string): number[] {
  const printed = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" });
  const lines = printed.split("\n").filter((line) => line.includes(name) && line.includes(program));
  return lines.map((line) => Number.parseInt(line, 10));
}

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Backend, JobRequest } from "#backends/backend";
import { appears, type Ends, jobOf, processesWith, uniqueSleep, watchEnds } from "#backends/backend-fixture";
import { NO_APPTAINER, sharedApptainer } from "#backends/containers/apptainer/apptainer-fixture";
import { openContainers } from "#backends/containers/containers-fixture";
import { loadFrom, removeImage, storedImages, tag } from "#backends/containers/images/image-store";
import { BASH_IMAGE, ENTRYPOINT_IMAGE, PLAIN_IMAGE } from "#backends/containers/podman-fixture";
import { privateUser } from "#backends/containers/private-user";
import { findRuntime, type Runtime } from "#backends/containers/runtime";
import { BOOT_ID } from "#backends/local/local-fixture";
import { describeUnless } from "#plumbing/needs-suite";
import { systemRandom } from "#plumbing/ids";
import type { Job } from "#workflow/job/job";

const IS_ROOT = process.getuid?.() === 0;
/** The number of a job's user: without root, the server's own. */
const USER = IS_ROOT ? privateUser(1000) : process.getuid!();

describeUnless(NO_APPTAINER)("a job in a container of Apptainer", () => {
  const the = sharedApptainer();
  let folder: string;
  let workspaceFolder: string;
  let backend: Backend;
  let ends: Ends;
  const inWorkspace = (file: string) => path.join(workspaceFolder, file);
  const open = (change: Parameters<typeof openContainers>[3] = {}) =>
    openContainers(the(), folder, "host-of-apptainer", { runtime: "apptainer", ...change });

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-jobs-"));
    workspaceFolder = await mkdtemp(path.join(os.tmpdir(), "reprise-workspace-"));
    backend = open();
    ends = watchEnds(backend);
  });
  afterEach(async () => {
    await backend.close();
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

  test("is nobody of the machine under root, and its files belong to the server's user", async () => {
    const { end, log } = await run(request("id -u; mkdir made; echo x > made/file; echo x > /in-image"));
    expect(log).toBe(`${USER}\n`);
    expect(end).toMatchObject({ exitCode: 0, imageDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
    for (const file of ["made", "made/file"]) expect(statSync(inWorkspace(file)).uid).toBe(process.getuid!());
    expect((await run(request("ls /in-image"))).end.exitCode).toBe(1);
  });

  test("changes no setting of the kernel, and makes no namespace and no mount", async () => {
    const script = [
      "grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status",
      "for file in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /sys/kernel/uevent_helper; do",
      "  if (echo x > $file) 2> /dev/null; then echo wrote $file; fi",
      "done",
      "unshare -U -r true 2> /dev/null && echo namespace",
      "mount -t tmpfs none /tmp 2> /dev/null && echo mount",
      "exit 0",
    ].join("\n");
    expect((await run(request(script))).log).toBe("NoNewPrivs:\t1\nSeccomp:\t2\n");
  });

  test("has no network if the job asks for none", async () => {
    expect((await run(request("ip -o link | cut -d: -f2", { network: "none" }))).log).toBe(" lo\n");
  });

  test("writes only to the named folders, and reaches no file of the server", async () => {
    mkdirSync(inWorkspace("out"));
    const script = `echo x > no; echo y > out/yes; cat ${folder}/*/record; ls -A /home /root 2>&1`;
    const { log } = await run(request(script, { writable: ["out"] }));
    expect(log).toMatch(/no: Read-only file system/);
    expect(log).toMatch(/record'?: No such file/);
    expect(existsSync(inWorkspace("no"))).toBe(false);
    expect(readFileSync(inWorkspace("out/yes"), "utf8")).toBe("y\n");
  });

  test("an ENTRYPOINT is kept for a program, and an image without bash gets a sentence", async () => {
    const program = { image: ENTRYPOINT_IMAGE, command: { argv: ["a b", "c"] as const } };
    expect((await run(request("", program))).log).toBe("entry a b c\n");
    const { end } = await run(request("echo x", { image: PLAIN_IMAGE }));
    expect(end).toMatchObject({ reason: "exited", exitCode: 127 });
    expect(end.detail).toContain(`The image ${PLAIN_IMAGE} has no such program`);
  });

  test("shows no secret to other users of the machine, and deletes the secrets at its end", async () => {
    const secrets = {
      environment: { TOKEN: "t0ken", LINES: "one\ntwo" },
      files: new Map([["key", Buffer.from("k3y")]]),
    };
    execFileSync("mkfifo", [inWorkspace("gate")]);
    const script = 'echo "$TOKEN $LINES"; cat /etc/reana/secrets/key; echo up > up; read -r _ < gate';
    const job = request(script);
    const running = run({ ...job, secrets });
    await appears(inWorkspace("up"));
    const commands = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
    for (const secret of ["t0ken", "k3y"]) expect(commands).not.toContain(secret);
    execFileSync("bash", ["-c", 'echo > "$0"', inWorkspace("gate")]);
    expect((await running).log).toBe("t0ken one\ntwo\nk3y");
    expect(existsSync(path.join(folder, job.id, "secrets"))).toBe(false);
  });

  test("a server that starts later finds the running job, and its stop leaves no process", async () => {
    const long = uniqueSleep();
    const job = request(`trap '' TERM; (setsid ${long}) & echo up > up; ${long}`);
    await backend.submit(job);
    await appears(inWorkspace("up"));
    await backend.close();
    backend = open();
    ends = watchEnds(backend);
    expect(await backend.submit(job)).toEqual({ status: "running" });
    expect(await backend.cancel(job)).toMatchObject({ reason: "cancelled" });
    expect(await processesWith(long)).toEqual([]);
  });

  test("the failure of a pull has a sentence, and the job never starts", async () => {
    await backend.close();
    backend = open({ images: { policy: "missing" } });
    ends = watchEnds(backend);
    const job = request("true", { image: "localhost:1/no/image:1" });
    expect(await backend.submit(job)).toMatchObject({ status: "queued" });
    const end = await ends.of(job.id);
    expect(end).toMatchObject({ reason: "not-started" });
    expect(end.detail).toContain("could not be pulled by apptainer: this machine cannot reach the registry");
  });

  test("an image is loaded from a folder and from a SIF file, named, listed and removed", async () => {
    const runtime = (await findRuntime("apptainer")) as Runtime;
    const layout = path.join(the().folder, "layouts", encodeURIComponent(BASH_IMAGE));
    const [loaded] = await loadFrom(runtime, layout);
    expect(loaded).toMatchObject({ names: [BASH_IMAGE] });
    const sif = path.join(the().folder, "fit.sif");
    execFileSync("apptainer", ["--silent", "build", sif, `oci:${layout}`], { stdio: "pipe" });
    const [image] = await loadFrom(runtime, sif);
    await tag(runtime, image!, "localhost/fit:1");
    expect((await run(request("echo in fit", { image: "localhost/fit:1" }))).log).toBe("in fit\n");
    const names = async () => (await storedImages(runtime)).flatMap((one) => one.names);
    expect(await names()).toContain("localhost/fit:1");
    await removeImage(runtime, { id: image!.id, names: ["localhost/fit:1"] });
    expect(await names()).not.toContain("localhost/fit:1");
  });
});

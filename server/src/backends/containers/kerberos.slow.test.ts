import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Backend } from "#backends/backend";
import { type Ends, jobOf, watchEnds } from "#backends/backend-fixture";
import { openContainers } from "#backends/containers/containers-fixture";
import { NO_PODMAN, openPodman, type Podman } from "#backends/containers/podman-fixture";
import { NO_KDC, type Kdc, SERVICE, startKdc } from "#backends/walls/kerberos/kdc-fixture";
import { BOOT_ID } from "#backends/local/local-fixture";
import { systemRandom } from "#plumbing/ids";
import type { Job } from "#workflow/job/job";
import { describeUnless } from "#plumbing/needs-suite";

const IMAGE = "localhost/with-kerberos:1";
const PROGRAMS = ["kinit", "klist", "kvno"].map((name) => `/usr/bin/${name}`);

describeUnless(NO_PODMAN ?? NO_KDC)("a job in a container with a Kerberos ticket", () => {
  let kdc: Kdc;
  let podman: Podman;
  let folder: string;
  let workspaceFolder: string;
  let backend: Backend;
  let ends: Ends;

  beforeAll(async () => {
    kdc = await startKdc();
    podman = openPodman();
    podman.addImage(IMAGE, PROGRAMS, { "etc/krb5.conf": kdc.configuration });
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-jobs-"));
    workspaceFolder = await mkdtemp(path.join(os.tmpdir(), "reprise-workspace-"));
    backend = openContainers(podman, folder, "host-of-tickets", {
      local: { environment: kdc.environment, ticketRenewalSeconds: 1 },
    });
    ends = watchEnds(backend);
  });
  afterAll(async () => {
    await backend.close();
    podman.close();
    kdc.close();
    for (const one of [folder, workspaceFolder]) await rm(one, { recursive: true });
  });

  async function run(script: string, change: Partial<Job> = {}) {
    const id = systemRandom.uuid();
    // The image has a configuration of its own, at the usual place.
    const environment = { KRB5_CONFIG: "/etc/krb5.conf" };
    const job = jobOf(script, { image: IMAGE, kerberos: true, environment, ...change });
    await backend.submit({ id, job, workspaceFolder, hostToken: BOOT_ID, secrets: kdc.secrets });
    return { end: await ends.of(id), log: String(await backend.readLog(id, 0, 10_000)) };
  }

  const NUMBER = 'stat -c %i "$KRB5CCNAME"';
  const RENEWED = `first=$(${NUMBER}); until [ "$(${NUMBER})" != "$first" ]; do sleep 0.1; done`;

  test("has the ticket at REANA's place, and it is renewed", async () => {
    const { log, end } = await run(`echo $KRB5CCNAME; kvno ${SERVICE}; ${RENEWED}; kvno ${SERVICE}; wait`);
    const kvno = `${SERVICE}@${kdc.realm}: kvno = 1\n`;
    expect(log).toBe(`/krb5_cache/krb5_1000\n${kvno}${kvno}`);
    expect(end).toMatchObject({ reason: "exited", exitCode: 0 });
  });

  describe("on a machine without kinit", () => {
    const before = process.env["PATH"];
    beforeAll(async () => {
      const programs = path.join(podman.folder, "programs");
      await mkdir(programs);
      for (const program of ["podman", "bash", "id", "find", "chown"])
        await symlink(`/usr/bin/${program}`, path.join(programs, program));
      process.env["PATH"] = `${programs}:/usr/sbin:/sbin`;
    });
    afterAll(() => void (process.env["PATH"] = before));

    test("the image's kinit requests the ticket, and renews it", async () => {
      const { log, end } = await run(`kvno ${SERVICE}; ${RENEWED}; kvno ${SERVICE}; wait`);
      const kvno = `${SERVICE}@${kdc.realm}: kvno = 1\n`;
      expect(log).toBe(`${kvno}${kvno}`);
      expect(end).toMatchObject({ reason: "exited", exitCode: 0 });
    });

    test("a program, which no shell could precede, is refused", async () => {
      await expect(run("", { command: { argv: ["klist"] } })).rejects.toThrow("this machine has no kinit");
    });
  });
});

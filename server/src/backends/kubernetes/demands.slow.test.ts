import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Backend } from "#backends/backend";
import { jobOf, watchEnds } from "#backends/backend-fixture";
import { onKubernetes, sharedKubernetes } from "#backends/kubernetes/kubernetes-fixture";
import { openOn } from "#backends/kubernetes/opened-fixture";
import { type Kdc, NO_KDC, SERVICE, startKdc } from "#backends/walls/kerberos/kdc-fixture";
import { systemRandom } from "#plumbing/ids";
import { describeUnless } from "#plumbing/needs-suite";
import type { Job } from "#workflow/job/job";
import type { JobSecrets } from "#workflow/people/secret";

const DEFAULT = "/api/v1/namespaces/default";
const REPOSITORY = "/cvmfs/sft.example.org";

/** Jobs that need CVMFS or a Kerberos ticket, on a real Kubernetes. */
onKubernetes(() =>
  describe("a job on Kubernetes", () => {
    const cluster = sharedKubernetes();
    let folder: string;
    let workspaceFolder: string;
    const opened: Backend[] = [];

    beforeAll(async () => {
      folder = await mkdtemp(path.join(os.tmpdir(), "reprise-jobs-"));
      workspaceFolder = await mkdtemp(path.join(os.tmpdir(), "reprise-workspace-"));
    });
    afterEach(() => Promise.all(opened.splice(0).map((backend) => backend.close())));
    afterAll(async () => {
      for (const one of [folder, workspaceFolder]) await rm(one, { recursive: true, force: true });
    });

    const open = async (parts: string) => {
      const podFile = path.join(folder, "pod.yaml");
      await writeFile(podFile, parts);
      const backend = openOn(cluster(), folder, { podFile, ticketRenewalSeconds: 1 });
      opened.push(backend);
      return backend;
    };
    const run = async (backend: Backend, script: string, change: Partial<Job>, secrets?: JobSecrets) => {
      const id = systemRandom.uuid();
      const ends = watchEnds(backend);
      const { hostToken } = backend;
      const job = jobOf(script, change);
      await backend.submit({ id, job, workspaceFolder, hostToken, ...(secrets && { secrets }) });
      return { end: await ends.of(id), log: String(await backend.readLog(id, 0, 10_000)) };
    };

    describe("with CVMFS", () => {
      const CVMFS = { mounts: [{ from: REPOSITORY, at: REPOSITORY, mode: "read" }] } as const;
      const READ = `cat ${REPOSITORY}/version; ls /cvmfs; touch ${REPOSITORY}/mine || echo refused`;

      beforeAll(async () => {
        const place = path.join(folder, "cvmfs");
        for (const name of ["sft", "other"])
          await mkdir(path.join(place, `${name}.example.org`), { recursive: true });
        await writeFile(path.join(place, "sft.example.org", "version"), "107\n");
        const spec = { accessModes: ["ReadOnlyMany"], storageClassName: "" };
        const capacity = { storage: "1Gi" };
        const apiVersion = "v1";
        await cluster().call("POST", "/api/v1/persistentvolumes", {
          apiVersion,
          kind: "PersistentVolume",
          metadata: { name: "cvmfs" },
          spec: { ...spec, capacity, hostPath: { path: place } },
        });
        await cluster().call("POST", `${DEFAULT}/persistentvolumeclaims`, {
          apiVersion,
          kind: "PersistentVolumeClaim",
          metadata: { name: "cvmfs" },
          spec: { ...spec, resources: { requests: capacity }, volumeName: "cvmfs" },
        });
      });

      test.each([
        ["a claim", () => "{persistentVolumeClaim: {claimName: cvmfs, readOnly: true}}"],
        ["a folder of the nodes", () => `{hostPath: {path: ${folder}/cvmfs}}`],
      ])("sees the repository of the workflow in %s, read-only, and no other one", async (_, source) => {
        const { log, end } = await run(await open(`cvmfs: ${source()}`), READ, CVMFS);
        expect(end).toMatchObject({ reason: "exited", exitCode: 0 });
        expect(log).toMatch(/^107\nsft\.example\.org\ntouch: .*Read-only file system\nrefused\n$/);
      });

      test("is refused, if the administrator named no volume", async () => {
        const backend = await open("{}");
        await expect(run(backend, READ, CVMFS)).rejects.toThrow(
          "needs /cvmfs/sft.example.org. Pods of this server",
        );
        expect(await backend.capabilities.cvmfsProblem?.("sft.example.org")).toContain("see no CVMFS");
      });
    });

    describeUnless(NO_KDC)("with a Kerberos ticket", () => {
      let kdc: Kdc;
      beforeAll(async () => {
        kdc = await startKdc({ host: "10.244.0.1", words: cluster().inNetwork });
        await cluster().call("POST", `${DEFAULT}/configmaps`, {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "kerberos" },
          data: { "krb5.conf": kdc.configuration },
        });
      });
      afterAll(() => kdc?.close());
      const TICKET = { kerberos: true } as const;
      const NUMBER = 'stat -c %i "$KRB5CCNAME"';
      const RENEWED = `first=$(${NUMBER}); until [ "$(${NUMBER})" != "$first" ]; do sleep 0.1; done`;

      test.each([
        [{}, 0],
        [{ user: { uid: 1500, gid: 0 } }, 1500],
      ])(
        "has it at REANA's place before its command starts, and the ticket is renewed: %j",
        async (change, uid) => {
          const script = `echo $KRB5CCNAME; kvno ${SERVICE}; ${RENEWED}; kvno ${SERVICE}`;
          const backend = await open("kerberos: {configMap: kerberos}");
          const { log, end } = await run(backend, script, { ...TICKET, ...change }, kdc.secrets);
          const kvno = `${SERVICE}@${kdc.realm}: kvno = 1\n`;
          expect(log).toBe(`/krb5_cache/krb5_${uid}\n${kvno}${kvno}`);
          expect(end).toMatchObject({ reason: "exited", exitCode: 0 });
        },
      );

      test("never starts without a ticket, with the words of kinit", async () => {
        const environment = { ...kdc.secrets.environment, CERN_USER: "eve" };
        const backend = await open("kerberos: {configMap: kerberos}");
        const { end } = await run(backend, "echo ran", TICKET, { ...kdc.secrets, environment });
        expect(end).toMatchObject({ reason: "not-started" });
        expect(end.detail).toMatch(/The job cannot get a Kerberos ticket: kinit: .*eve/);
      });

      test("is refused without the secrets for a ticket", async () => {
        const refused = run(await open("{}"), "true", TICKET);
        await expect(refused).rejects.toThrow("its user has no secret CERN_USER");
      });
    });
  }),
);

import { describe, expect, test } from "vitest";
import { jobOf } from "#backends/backend-fixture";
import { podOf } from "#backends/kubernetes/describe";
import type { PodSettings } from "#backends/kubernetes/pod-settings";
import { listedPod } from "#backends/kubernetes/listed-pod";
import type { Job } from "#workflow/job/job";

const SETTINGS: PodSettings = {
  records: "token",
  user: { uid: 1000, gid: 0 },
  pullImages: "missing",
  pullTimeoutMs: 60_000,
  parts: { cvmfs: { hostPath: { path: "/cvmfs" } }, kerberos: { image: "krb5:1" }, spec: {} },
};
const sent = (change: Partial<Job>) => ({
  name: "reprise-1",
  job: jobOf("fit", { image: "python:3.12", ...change }),
  workspaceFolder: "/data/w",
  orderFile: "/data/r/order",
  saidFile: "/data/r/said",
  secrets: {
    environment: { CERN_USER: "ada", CERN_KEYTAB: "it's.keytab" },
    files: new Map([["it's.keytab", Buffer.from("key")]]),
  },
});

interface Made {
  readonly spec: {
    readonly initContainers: readonly {
      readonly name: string;
      readonly command: readonly string[];
      readonly volumeMounts: readonly object[];
    }[];
  };
}

describe("the Pod of a job", () => {
  test("mounts each repository of CVMFS alone and read-only", () => {
    const mount = (at: string) => ({ from: at, at, mode: "read" }) as const;
    const mounts = [mount("/cvmfs/a.org"), mount("/cvmfs/b.org"), mount("/etc")];
    expect(podOf(sent({ mounts }), SETTINGS)).toMatchObject({
      spec: {
        containers: [
          {
            volumeMounts: [
              { name: "workspace" },
              { name: "record" },
              { name: "cvmfs", mountPath: "/cvmfs/a.org", subPath: "a.org", readOnly: true },
              { name: "cvmfs", mountPath: "/cvmfs/b.org", subPath: "b.org", readOnly: true },
            ],
          },
        ],
        volumes: [{ name: "workspace" }, { name: "record" }, { name: "cvmfs", hostPath: { path: "/cvmfs" } }],
      },
    });
  });

  test.each([
    [undefined, { name: "record", subPath: "secrets/files" }],
    [
      { name: "files", root: "/data" },
      { name: "data", subPath: "r/secrets/files" },
    ],
  ])("shows the keytab to the containers of the ticket alone: %j", (claim, keytab) => {
    const { spec } = podOf(sent({ kerberos: true }), { ...SETTINGS, claim }) as Made;
    expect(spec.initContainers.map(({ name }) => name)).toEqual(["kerberos", "kerberos-renewal"]);
    for (const { volumeMounts, command } of spec.initContainers) {
      expect(volumeMounts).toContainEqual({ ...keytab, mountPath: "/keytab", readOnly: true });
      expect(command[2]).toContain("-t '/keytab/it'\\''s.keytab'");
    }
    expect(podOf(sent({ kerberos: true }), SETTINGS)).toMatchObject({
      spec: {
        initContainers: [{ image: "krb5:1" }, { image: "krb5:1", restartPolicy: "Always" }],
        containers: [
          { env: expect.arrayContaining([{ name: "KRB5CCNAME", value: "/krb5_cache/krb5_1000" }]) },
        ],
      },
    });
  });

  test("that gets no ticket never starts, with the words of kinit", () => {
    const listed = (status: object) =>
      listedPod({ metadata: { name: "reprise-1" }, status }, { nowMs: 0, pullMaxMs: 1 });
    const terminated = { exitCode: 1, message: "kinit: Client 'ada' not found.\n" };
    const failed = [{ name: "kerberos", state: { terminated } }];
    expect(listed({ phase: "Failed", initContainerStatuses: failed })).toMatchObject({
      phase: "gone",
      sentence: "The job cannot get a Kerberos ticket: kinit: Client 'ada' not found.",
    });
    const waiting = { reason: "InvalidImageName", message: "no such image" };
    const unknown = [{ name: "kerberos", state: { waiting } }];
    expect(listed({ phase: "Pending", initContainerStatuses: unknown }).sentence).toContain("no such image");
  });
});

import { expect, test } from "vitest";
import { jobOf } from "#backends/backend-fixture";
import { unenforcedNotice } from "#backends/unenforced";
import { JOB_FEATURES } from "#workflow/capabilities";
import type { Job } from "#workflow/job/job";

const ALL: Partial<Job> = {
  image: "python:3.12",
  writable: ["out", "tmp"],
  network: "none",
  user: { uid: 1000, gid: 0 },
  mounts: [{ from: "data", at: "/data", mode: "read" }],
  kerberos: true,
  limits: { timeMs: 1500, memoryBytes: 2 ** 30, diskBytes: 2 ** 20 },
};

test("all unenforced demands of a job are named in a single line", () => {
  expect(unenforcedNotice(jobOf("", ALL), [])).toBe(
    "reprise: Not enforced on this server: the image python:3.12; writing only to out, tmp; no network; " +
      "the user 1000 and the group 0; the mounts /data; a Kerberos ticket; a time limit of 1.5 s; a memory limit of " +
      "1 GiB; a disk limit of 1 MiB.\n",
  );
  expect(unenforcedNotice(jobOf("", { mounts: [{ from: "data", at: "/a\nb", mode: "read" }] }), [])).toMatch(
    /^[^\n]+\n$/,
  );
});

test("demands that a backend enforces are not named", () => {
  expect(unenforcedNotice(jobOf("", ALL), JOB_FEATURES)).toBeUndefined();
  expect(unenforcedNotice(jobOf("", ALL), ["image", "user"])).not.toMatch(/image|user/);
});

test("a job that asks for nothing, or only names an image, has no notice", () => {
  expect(unenforcedNotice(jobOf(""), [])).toBeUndefined();
  expect(unenforcedNotice(jobOf("", { image: "a", network: "full" }), [])).toBeUndefined();
});

test("a job that a sandbox would hold back has no notice where there is no sandbox", () => {
  expect(unenforcedNotice(jobOf("", { writable: ["out"], network: "none" }), [])).toBeUndefined();
  const limited = jobOf("", { network: "none", limits: { memoryBytes: 2 ** 20 } });
  expect(unenforcedNotice(limited, [])).toContain("no network; a memory limit of 1 MiB");
});

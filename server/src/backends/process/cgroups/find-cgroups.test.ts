import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findCgroups } from "#backends/process/cgroups/find-cgroups";
import { openJobGroups } from "#backends/process/cgroups/job-groups";

/** The kernel's files are plain ones here: a machine has version 1 or version 2, and a test of the other needs a copy. */
let root: string;
const own = () => path.join(root, "own");
const places = () => ({ root, own: own() });

beforeEach(() => void (root = mkdtempSync(path.join(os.tmpdir(), "reprise-cgroups-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

function group(name: string, files: Readonly<Record<string, string>> = {}): string {
  const folder = path.join(root, name);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text);
  return folder;
}

function version2(processes: string): Readonly<Record<string, string>> {
  return {
    "cgroup.procs": processes,
    "cgroup.subtree_control": "",
    "cgroup.controllers": "cpu io memory pids\n",
  };
}

test("a delegated scope of version 2 in which the server is alone is left by the server", () => {
  const folder = group("user.slice/run-1.scope", version2(`${process.pid}\n`));
  writeFileSync(own(), "0::/user.slice/run-1.scope\n");
  const found = findCgroups(places());
  expect(found).toEqual({
    version: 2,
    parents: { memory: folder, cpu: folder, pids: folder },
    mustMove: true,
  });
});

test("the group above the server's is used if it has no process", () => {
  const folder = group("system.slice/reprise.service", version2(""));
  group("system.slice/reprise.service/server", version2(`${process.pid}\n17\n`));
  writeFileSync(own(), "0::/system.slice/reprise.service/server\n");
  expect(findCgroups(places())).toEqual({
    version: 2,
    parents: { memory: folder, cpu: folder, pids: folder },
  });
});

test("a service is not left by its server, because systemd could not start it again while jobs run", () => {
  group("system.slice/reprise.service", version2(`${process.pid}\n`));
  writeFileSync(own(), "0::/system.slice/reprise.service\n");
  expect(findCgroups(places())).toEqual({ problem: expect.stringContaining("DelegateSubgroup=server") });
});

test("a slice is systemd's own, even if this user may write to it", () => {
  group("user.slice/app.slice", version2(""));
  const folder = group("user.slice/app.slice/run-1.scope", version2(`${process.pid}\n`));
  writeFileSync(own(), "0::/user.slice/app.slice/run-1.scope\n");
  expect(findCgroups(places())).toMatchObject({ parents: { memory: folder }, mustMove: true });
});

test("a group shared with other processes is not used, and the reason advises", () => {
  group("user.slice", version2("5\n"));
  group("user.slice/shell", version2(`${process.pid}\n17\n`));
  writeFileSync(own(), "0::/user.slice/shell\n");
  expect(findCgroups(places())).toEqual({
    problem: expect.stringMatching(
      /user\.slice\/shell is not delegated to this server: .+DelegateSubgroup=server$/,
    ),
  });
});

test("version 1 has a tree for each controller", () => {
  group("memory/a");
  group("pids");
  writeFileSync(own(), "9:pids:/unseen\n4:memory:/a\n1:cpu,cpuacct:/\n0::/\n");
  expect(findCgroups(places())).toEqual({
    version: 1,
    parents: { memory: path.join(root, "memory/a"), pids: path.join(root, "pids") },
  });
});

test("with version 1 a slot also joins a group for processor time, if available", () => {
  group("pids");
  writeFileSync(own(), "9:pids:/\n1:cpu,cpuacct:/\n");
  const open = () => openJobGroups(findCgroups(places()) as Parameters<typeof openJobGroups>[0], "host");
  const without = open();
  expect(without.countTime).toBe(false);
  expect(without.forSlot()!.timeFile).toBeUndefined();
  group("cpuacct");
  const groups = open();
  expect(groups.countTime).toBe(true);
  const slot = groups.forSlot()!;
  const name = path.basename(path.dirname(slot.joinFiles[0]!));
  const [limited, counted] = ["pids", "cpuacct"].map((tree) =>
    path.join(root, tree, "reprise-host/slots", name),
  );
  expect(slot.joinFiles).toEqual([path.join(limited!, "tasks"), path.join(counted!, "tasks")]);
  expect(slot.timeFile).toBe(path.join(counted!, "cpuacct.usage"));
  slot.remove();
  expect([limited, counted].map((folder) => existsSync(folder!))).toEqual([false, false]);
});

test("on a system without control groups the reason is given", () => {
  expect(findCgroups(places())).toEqual({ problem: "this system has no control groups" });
  writeFileSync(own(), "0::/\n");
  expect(findCgroups(places())).toEqual({ problem: expect.stringContaining("Delegate=yes") });
});

test("with version 2 each job has a single group with all limits", () => {
  const folder = group("run-1.scope", version2(`${process.pid}\n`));
  writeFileSync(own(), "0::/run-1.scope\n");
  const found = findCgroups(places());
  const groups = openJobGroups(found as Parameters<typeof openJobGroups>[0], "host", { maxProcesses: 50 });
  const read = (name: string) => readFileSync(path.join(folder, name), "utf8");
  expect(read("server/cgroup.procs")).toBe(String(process.pid));
  expect(read("cgroup.subtree_control")).toBe("+memory +cpu +pids");
  const base = path.join(folder, "reprise-host");
  expect(groups.make("j", { memoryBytes: 2 ** 20, cores: 0.5 })).toEqual(
    ["memory.events", "memory.peak", "cgroup.procs"].map((name) => path.join(base, "j", name)),
  );
  expect(read("reprise-host/j/memory.max")).toBe(String(2 ** 20));
  expect(read("reprise-host/j/cpu.max")).toBe("50000 100000");
  expect(read("reprise-host/cgroup.subtree_control")).toBe("+memory +cpu +pids");
  expect(groups.make("k", { timeMs: 5 })).toBeUndefined();
  expect(read("reprise-host/j/pids.max")).toBe("164");
  const { joinFiles, timeFile } = groups.forSlot()!;
  const slot = path.dirname(joinFiles[0]!);
  expect(path.dirname(slot)).toBe(path.join(base, "slots"));
  expect([joinFiles, timeFile]).toEqual([[path.join(slot, "cgroup.procs")], path.join(slot, "cpu.stat")]);
  expect(groups.countTime).toBe(true);
  expect(readFileSync(path.join(slot, "pids.max"), "utf8")).toBe("164");
  expect(read("reprise-host/slots/cgroup.subtree_control")).toBe("+pids");
  expect(Number(read("reprise-host/pids.max"))).toBeGreaterThan(1000);
});

test("the group of a job that an earlier server started goes when the job ends", () => {
  const folder = group("run-1.scope", version2(`${process.pid}\n`));
  writeFileSync(own(), "0::/run-1.scope\n");
  const left = group("run-1.scope/reprise-host/j", { "cgroup.procs": "1\n" });
  const groups = openJobGroups(findCgroups(places()) as Parameters<typeof openJobGroups>[0], "host");
  expect(existsSync(left)).toBe(true);
  rmSync(path.join(left, "cgroup.procs"));
  groups.remove("j");
  expect(existsSync(left)).toBe(false);
  expect(existsSync(path.join(folder, "reprise-host"))).toBe(true);
});

test("another server leaves a new group alone until its first process has joined, and removes an unused one later", () => {
  const folder = group("run-1.scope", version2(`${process.pid}\n`));
  writeFileSync(own(), "0::/run-1.scope\n");
  const found = findCgroups(places()) as Parameters<typeof openJobGroups>[0];
  const at = (now: number) => ({ clock: { now: () => now } });
  openJobGroups(found, "one", at(1_000_000)).forSlot();
  const slots = path.join(folder, "reprise-one", "slots");
  // The kernel's files do not keep a group from being removed; these plain files do.
  for (const file of ["slots/cgroup.subtree_control", "cgroup.subtree_control", "pids.max"])
    rmSync(path.join(folder, "reprise-one", file));
  utimesSync(slots, 1000, 1000);
  openJobGroups(found, "other", at(1_010_000));
  expect(existsSync(slots)).toBe(true);
  openJobGroups(found, "other", at(1_100_000));
  expect(existsSync(slots)).toBe(false);
});

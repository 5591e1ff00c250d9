import { accessSync, constants, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";

/** The limits that the kernel can set for a group of processes. */
export const CONTROLLERS = ["memory", "cpu", "pids"] as const;
export type Controller = (typeof CONTROLLERS)[number];

/** The places where this server may make control groups. */
export type FoundCgroups =
  | {
      readonly version: 1 | 2;
      /** The folder for each usable controller. With version 2 all controllers share one folder. */
      readonly parents: Readonly<Partial<Record<Controller, string>>>;
      /**
       * The folder for groups that only count processor time. Version 2 counts processor time in every group.
       */
      readonly counter?: string;
      /**
       * The server is alone in that folder, and has to move out: version 2 has processes only in the leaves.
       */
      readonly mustMove?: boolean;
    }
  /** The reason why the server may make no groups, as a part of a sentence, with advice. */
  | { readonly problem: string };

/** The places where the kernel shows control groups. Tests have others. */
export interface CgroupPlaces {
  readonly root: string;
  /** The groups of this process (`/proc/self/cgroup`). */
  readonly own: string;
}

export const CGROUP_PLACES: CgroupPlaces = { root: "/sys/fs/cgroup", own: "/proc/self/cgroup" };

const DELEGATE =
  "run the server as a service of systemd (254 or newer) with Delegate=yes and DelegateSubgroup=server";

/**
 * Looks for control groups that this server may use: a delegated version 2, else version 1. Changes nothing.
 */
export function findCgroups({ root, own }: CgroupPlaces = CGROUP_PLACES): FoundCgroups {
  const groups = maybeRead(own);
  if (groups === undefined) return { problem: "this system has no control groups" };
  return maybeVersion2(root, groups) ?? maybeVersion1(root, groups) ?? refusal(root, groups);
}

function refusal(root: string, groups: string): FoundCgroups {
  const group = pathIn(groups, "");
  const has = group !== undefined && controllersOf(path.join(root, group)).length > 0;
  return {
    problem: has
      ? `the control group ${group} is not delegated to this server: ${DELEGATE}`
      : `this user may not make control groups: ${DELEGATE}`,
  };
}

/** A line is `4:memory:/group`, or `0::/group` with version 2. */
function pathIn(groups: string, controller: string): string | undefined {
  const lines = groups.split("\n").map((line) => /^\d+:([^:]*):(.*)$/.exec(line));
  return lines.find((line) => line?.[1]!.split(",").includes(controller))?.[2];
}

/** Slices are systemd's own, even if this user may write to them. */
const IS_UNIT = /\.(?:service|scope)$/;

/**
 * Uses the group above the server's group, if the group above has no process (`DelegateSubgroup=`), else the
 * server's scope if the server is alone. The server must not leave the group of a service: systemd could not
 * start the service again while jobs run.
 */
function maybeVersion2(root: string, groups: string): FoundCgroups | undefined {
  const group = pathIn(groups, "");
  if (group === undefined || group === "/") return undefined;
  const own = path.join(root, group);
  const above = path.dirname(own);
  const isEmpty = (folder: string) => maybeRead(path.join(folder, "cgroup.procs"))?.trim() === "";
  const isOwnAlone = maybeRead(path.join(own, "cgroup.procs"))?.trim() === String(process.pid);
  const parent = IS_UNIT.test(above) && isWritable(above) && isEmpty(above) ? above : own;
  if (!isWritable(parent) || (parent === own && !(isOwnAlone && own.endsWith(".scope")))) return undefined;
  const controllers = controllersOf(parent);
  if (controllers.length === 0) return undefined;
  const parents = Object.fromEntries(controllers.map((one) => [one, parent]));
  return { version: 2, parents, ...(parent === own && { mustMove: true }) };
}

function controllersOf(folder: string): Controller[] {
  const words = maybeRead(path.join(folder, "cgroup.controllers"))?.split(/\s+/) ?? [];
  return CONTROLLERS.filter((one) => words.includes(one));
}

function isWritable(folder: string): boolean {
  return [folder, path.join(folder, "cgroup.procs"), path.join(folder, "cgroup.subtree_control")].every(
    mayWrite,
  );
}

/** Version 1 has a tree for each controller. In a container the server's own group may be out of sight. */
function maybeVersion1(root: string, groups: string): FoundCgroups | undefined {
  const placeOf = (controller: string) => maybePlace(root, groups, controller);
  const found = CONTROLLERS.flatMap((controller) => {
    const parent = placeOf(controller);
    return parent === undefined ? [] : [[controller, parent] as const];
  });
  if (found.length === 0) return undefined;
  const counter = placeOf("cpuacct");
  return { version: 1, parents: Object.fromEntries(found), ...(counter !== undefined && { counter }) };
}

function maybePlace(root: string, groups: string, controller: string): string | undefined {
  const group = pathIn(groups, controller);
  if (group === undefined) return undefined;
  const tree = path.join(root, controller);
  return [path.join(tree, group), tree].find((folder) => mayWrite(folder));
}

function mayWrite(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false; // accessSync throws exactly when it cannot be written
  }
}

function maybeRead(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // absent, or not for this user
  }
}

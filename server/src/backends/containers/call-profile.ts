import { readFileSync } from "node:fs";
import { SOCKET_FAMILIES } from "#backends/walls/call-filter";
import { isObject } from "#workflow/specification/shape";

/** The places of podman's own profile of system calls. The administrator's comes first, as podman itself has it. */
const OWN_PROFILES = ["/etc/containers/seccomp.json", "/usr/share/containers/seccomp.json"];

/** Calls about keyrings, namespaces and mounts, and calls that make sockets without a check of the family. */
const REFUSED: ReadonlySet<unknown> = new Set(
  (
    "add_key keyctl request_key clone clone3 setns unshare fsconfig fsmount fsopen fspick mount mount_setattr " +
    "move_mount open_tree pivot_root umount umount2 io_uring_enter io_uring_register io_uring_setup socket socketcall"
  ).split(" "),
);

/** All flags of `clone` that make a namespace. */
const NEW_NAMESPACES = 0x7e02_0000;
const ENOSYS = 38;
const NETLINK = 16;
const NETLINK_AUDIT = 9;

/**
 * Returns podman's profile of system calls without the calls by which a job could read the keyrings of a person, reach
 * the host of a virtual machine, or mount a file system in memory that no limit counts. Undefined: podman has no profile
 * that can be read, and neither has another place.
 */
export function maybeCallProfile(others: readonly string[] = []): string | undefined {
  return [...OWN_PROFILES, ...others].map(maybeRead).find((text) => text !== undefined);
}

function maybeRead(file: string): string | undefined {
  try {
    return maybeStricter(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined; // absent, or not a profile: podman reports what is wrong with its own file
  }
}

/** Returns the profile, as JSON, with fewer calls. Undefined: this is not a profile. */
export function maybeStricter(profile: unknown): string | undefined {
  if (!isObject(profile) || !Array.isArray(profile["syscalls"])) return undefined;
  const rules = (profile["syscalls"] as readonly unknown[]).flatMap((rule) => {
    if (!isObject(rule) || !Array.isArray(rule["names"])) return [rule];
    const names = rule["names"].filter((name) => !REFUSED.has(name));
    return names.length === 0 ? [] : [{ ...rule, names }];
  });
  return JSON.stringify({ ...profile, syscalls: [...rules, ...ADDED, ...clone3Absent(profile)] });
}

/**
 * Returns the rule by which `clone3`, whose flags no filter can read, fails with ENOSYS: the C library then
 * uses `clone`. A profile that already refuses every call with ENOSYS needs no rule, and must not repeat its
 * default action.
 */
function clone3Absent(profile: Readonly<Record<string, unknown>>): readonly object[] {
  if (profile["defaultErrnoRet"] === ENOSYS) return [];
  return [{ names: ["clone3"], action: "SCMP_ACT_ERRNO", errnoRet: ENOSYS, args: [] }];
}

const ALLOW = "SCMP_ACT_ALLOW";

function allow(name: string, ...args: readonly object[]): object {
  return { names: [name], action: ALLOW, args };
}

const ADDED = [
  allow("clone", { index: 0, value: NEW_NAMESPACES, valueTwo: 0, op: "SCMP_CMP_MASKED_EQ" }),
  ...SOCKET_FAMILIES.map((family) =>
    allow(
      "socket",
      { index: 0, value: family, op: "SCMP_CMP_EQ" },
      ...(family === NETLINK ? [{ index: 2, value: NETLINK_AUDIT, op: "SCMP_CMP_NE" }] : []),
    ),
  ),
];

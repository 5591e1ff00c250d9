import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { failureOf, runProgram } from "#backends/containers/run-program";
import { maybeProgram } from "#plumbing/files/find-program";
import { messageOf } from "#plumbing/errors";

/** How jobs get a root file system that they may write: on the disk, in 64 MiB of memory, or not at all. */
export type WritableRoot = "disk" | "memory" | "none";

const TIMEOUT_MS = 20_000;

/** An Apptainer that works. */
interface Apptainer {
  readonly name: "apptainer";
  readonly program: string;
  readonly version: string;
  readonly isRootless: boolean;
  readonly storage: string;
  readonly hasInit: true;
  readonly writableRoot: WritableRoot;
}

interface NoApptainer {
  readonly problem: string;
}

/** Returns the folder of the images that jobs run in. Apptainer itself keeps no images under their names. */
export function imageFolder(): string {
  const cache = process.env["APPTAINER_CACHEDIR"];
  return path.join(cache ?? path.join(process.env["HOME"] ?? os.homedir(), ".apptainer/cache"), "reprise");
}

/** Tries Apptainer with the options that jobs need, in a container of programs of this machine. */
export async function probeApptainer(): Promise<Apptainer | NoApptainer> {
  const program = maybeProgram("apptainer")!;
  const version = await runProgram([program, "version"], { timeoutMs: TIMEOUT_MS });
  const fails = (why: string) => ({ problem: `apptainer is installed, but does not work: ${why}` });
  if (version.code !== 0) return fails(failureOf(version));
  const storage = imageFolder();
  const isRootless = process.getuid?.() !== 0;
  const runtime = { name: "apptainer", program, storage, isRootless, hasInit: true } as const;
  try {
    const tried = await firstWritableRoot(runtime);
    if (typeof tried === "object") return fails(tried.problem);
    return { ...runtime, version: version.stdout.trim(), writableRoot: tried };
  } catch (error) {
    return fails(messageOf(error));
  }
}

type Probed = Pick<Apptainer, "program" | "storage" | "isRootless">;

/** Returns the best kind of root file system that works. */
async function firstWritableRoot(runtime: Probed): Promise<WritableRoot | NoApptainer> {
  let problem = "";
  for (const kind of ["disk", "memory", "none"] as const) {
    const failure = await maybeFailure(runtime, kind);
    if (failure === undefined) return kind;
    problem = failure;
  }
  return { problem };
}

async function maybeFailure({ program, storage, isRootless }: Probed, kind: WritableRoot) {
  const folder = path.join(storage, `probe-${process.pid}`);
  const image = path.join(folder, "image");
  const upper = path.join(folder, "upper");
  try {
    for (const part of [
      upper,
      ...["usr", "proc", "dev", "sys", "tmp", "etc"].map((one) => `${image}/${one}`),
    ])
      mkdirSync(part, { recursive: true, mode: 0o755 });
    for (const link of ["bin", "lib", "lib64"])
      if (!existsSync(path.join(image, link))) symlinkSync(`usr/${link}`, path.join(image, link));
    const user = isRootless ? undefined : { uid: 1000, gid: 0 };
    const words = [...isolationWords({ isRootless, user, hasNetwork: false }), ...rootWords(kind, upper)];
    const host = "--mount=type=bind,source=/usr,destination=/usr,ro";
    const result = await runProgram([program, "--silent", "exec", ...words, host, image, "/bin/true"], {
      timeoutMs: TIMEOUT_MS,
    });
    return result.code === 0 ? undefined : failureOf(result);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Isolation {
  readonly isRootless: boolean;
  /** The user of the job under a server of root. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  readonly hasNetwork: boolean;
}

/**
 * Returns the options that separate a job from the machine. Under root, `/sys` is left out: the job may write where root
 * may, as in its workspace, and Apptainer shows `/sys` writable. A job never runs as root itself, who could write the
 * settings of the kernel in `/proc/sys`.
 */
export function isolationWords({ isRootless, user, hasNetwork }: Isolation): readonly string[] {
  const as =
    isRootless || user === undefined
      ? ["--userns", "--no-mount=home,tmp"]
      : [
          `--security=uid:${user.uid}`,
          `--security=gid:${user.gid}`,
          "--add-caps=CAP_DAC_OVERRIDE,CAP_FOWNER",
          "--no-mount=home,tmp,sys",
        ];
  return [
    "--containall",
    "--cleanenv",
    "--no-eval",
    "--no-umask",
    "--no-privs",
    ...as,
    ...(hasNetwork ? [] : ["--net", "--network=none"]),
  ];
}

/** Returns the options for a root file system that the job may write, in a folder of its own. */
export function rootWords(kind: WritableRoot, folder: string): readonly string[] {
  if (kind === "disk") return [`--overlay=${folder}`];
  return kind === "memory" ? ["--writable-tmpfs"] : [];
}

/** Returns the places of Apptainer's own profile of system calls, for a machine without podman's. */
export function profilesOf(program: string): readonly string[] {
  const prefix = path.dirname(path.dirname(program));
  const name = "apptainer/seccomp-profiles/default.json";
  return [`/etc/${name}`, path.join(prefix, "etc", name)];
}

interface Profile {
  readonly defaultAction: string;
  readonly defaultErrnoRet?: number;
  readonly syscalls: readonly Rule[];
}

interface Rule {
  readonly names: readonly string[];
  readonly action: string;
}

/**
 * Returns a profile as Apptainer reads profiles: each refused call fails with EPERM, and no rule may repeat that. `clone3`
 * has to fail with ENOSYS, so that the C library uses `clone`. The kernel says so for a call that only a tracer could
 * allow, and the job cannot trace.
 */
export function apptainerProfile(profile: string): string {
  const { defaultErrnoRet: _, ...rest } = JSON.parse(profile) as Profile;
  const rules = rest.syscalls.flatMap((rule) => {
    const names = rule.names.filter((name) => name !== "clone3" && name !== "ptrace");
    return rule.action === rest.defaultAction || names.length === 0 ? [] : [{ ...rule, names }];
  });
  return JSON.stringify({ ...rest, syscalls: [...rules, { names: ["clone3"], action: "SCMP_ACT_TRACE" }] });
}

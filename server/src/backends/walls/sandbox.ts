import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { JobNetwork } from "#backends/job-network";
import { bubblewrapWall, type HostMount } from "#backends/walls/bubblewrap";
import { callFilter } from "#backends/walls/call-filter";
import { probe } from "#backends/walls/probe";
import { programFinder } from "#backends/walls/programs";
import { systemView } from "#backends/walls/system-view";
import type { Wall } from "#backends/walls/wall";
import { messageOf } from "#plumbing/errors";
import { maybeProgram } from "#plumbing/files/find-program";

export interface SandboxSettings {
  readonly network: JobNetwork;
  readonly mounts: readonly HostMount[];
  /** Returns further mounts for a job that starts now. Optional. */
  readonly mountsNow?: () => readonly HostMount[];
  /** The folder of CVMFS on this machine. Default: `/cvmfs`. */
  readonly cvmfs?: string;
}

/** The sandbox of this machine, or the reason for its absence. */
export type Sandbox = { readonly wall: Wall } | NoSandbox;

export interface NoSandbox {
  /** A part of a sentence, with advice. */
  readonly problem: string;
  /** True if bubblewrap is installed, and failed for a reason other than a ban on sandboxes by the system. */
  readonly isBroken: boolean;
}

/**
 * Opens a sandbox with bubblewrap, after a probe (probe.ts). `folder` holds the attempts of the jobs.
 */
export async function openSandbox(folder: string, settings: SandboxSettings): Promise<Sandbox> {
  if (process.platform !== "linux") return { problem: "bubblewrap exists only on Linux", isBroken: false };
  const program = maybeProgram("bwrap");
  if (program === undefined)
    return { problem: "bubblewrap is not installed: `apt install bubblewrap`", isBroken: false };
  try {
    const own = path.join(folder, "sandbox");
    mkdirSync(own, { recursive: true, mode: 0o700 });
    const filterFile = writeFilter(own);
    const isRoot = process.getuid?.() === 0;
    const wall = bubblewrapWall({
      ...settings,
      program,
      filterFile,
      isRoot,
      system: systemView(),
      isProgram: programFinder(),
    });
    const problem = await probe(wall, own);
    return problem === undefined ? { wall } : problem;
  } catch (error) {
    return { problem: `bubblewrap could not be tried: ${messageOf(error)}`, isBroken: true };
  }
}

/**
 * Slots of an earlier server may be opening the file: the file is replaced atomically, and only if it
 * differs.
 */
function writeFilter(folder: string): string {
  const file = path.join(folder, "call-filter");
  const filter = callFilter();
  if (maybeRead(file)?.equals(filter)) return file;
  writeFileSync(`${file}.new`, filter, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return file;
}

function maybeRead(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined; // absent, or not a file: it is replaced
  }
}

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { onTestFinished } from "vitest";
import { maybeProgram } from "#plumbing/files/find-program";

/** True if this machine can mount a disk with a cache of its own. In CI a skipped test counts as failed. */
export const HAS_CACHES =
  process.getuid?.() === 0 && existsSync("/dev/fuse") && maybeProgram("bindfs") !== undefined;

/** A disk that several machines share, each with a cache that remembers names, absent names and sizes for some seconds. */
export interface TwoCaches {
  /** The folder as this machine sees it. Jobs see another mount of the disk at this path. */
  readonly folder: string;
  /** The folder of the disk itself, without a cache. */
  readonly real: string;
  /** Mounts the disk once more, with a cache of its own, for a node. */
  mount(seconds: number): string;
  /** Returns the command that runs a script in a place where `folder` leads to the given mount. */
  wrap(mount: string): readonly string[];
}

/** Mounts a shared disk for the calling test, by FUSE. With `keepsContents`, a cache also remembers what was read. */
export function twoCaches(seconds: number, keepsContents = false): TwoCaches {
  const root = mkdtempSync(path.join(os.tmpdir(), "reprise-caches-"));
  const real = path.join(root, "real");
  mkdirSync(real);
  const mounts: string[] = [];
  onTestFinished(() => {
    for (const mount of mounts) execFileSync("umount", ["--lazy", mount]);
    rmSync(root, { recursive: true, force: true });
  });
  const mount = (rememberedSeconds: number): string => {
    const at = path.join(root, `seen-${mounts.length}`);
    mkdirSync(at);
    const times = ["attr_timeout", "entry_timeout", "negative_timeout"].map(
      (name) => `${name}=${rememberedSeconds}`,
    );
    const options = [
      ...times,
      ...(keepsContents ? ["auto_cache", `ac_attr_timeout=${rememberedSeconds}`] : []),
    ];
    execFileSync("bindfs", ["-o", options.join(","), real, at]);
    mounts.push(at);
    return at;
  };
  const folder = mount(seconds);
  const script = 'mount --make-rprivate / && mount --bind "$0" "$1" && shift && exec "$@"';
  return { folder, real, mount, wrap: (seen) => ["unshare", "--mount", "sh", "-c", script, seen, folder] };
}

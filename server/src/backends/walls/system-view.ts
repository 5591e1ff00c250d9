import {
  accessSync,
  constants,
  type Dirent,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from "node:fs";
import path from "node:path";
import { type Clock, systemClock } from "#plumbing/clock";

/** Folders of the system, besides /etc. On a merged /usr most of these folders are links into /usr. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/** Lifetime of a scan of the whole of /etc. A scan takes 5 ms for 1300 files. */
const LOOK_MS = 5000;

interface SystemViewOptions {
  /** The folder with the configuration of the system. Default: `/etc`. */
  readonly etc?: string;
  readonly clock?: Pick<Clock, "elapsedMs">;
}

/**
 * Returns a function that returns the options of bwrap that show a job the system, read-only: programs,
 * libraries and configuration. The options hide files in /etc that other users of the machine may not read: a
 * server that runs as root gives its jobs no key. bwrap fails if a hidden file is gone, and therefore each
 * call checks the folders of such files (10-20 µs). The call scans all of /etc if one of the folders has
 * changed, or if the last scan was 5 seconds ago.
 */
export function systemView({
  etc = "/etc",
  clock = systemClock,
}: SystemViewOptions = {}): () => readonly string[] {
  let view: View | undefined;
  return () => {
    const nowMs = clock.elapsedMs();
    if (!view || nowMs - view.seenAtMs >= LOOK_MS || hasChanged(view)) view = look(etc, nowMs);
    return view.words;
  };
}

interface View {
  readonly seenAtMs: number;
  readonly words: readonly string[];
  /** When /etc and the folders on the way to hidden entries had last changed. */
  readonly changes: ReadonlyMap<string, number | undefined>;
}

function look(etc: string, seenAtMs: number): View {
  const changes = new Map([[etc, maybeStat(etc)?.ctimeMs]]);
  const words = [
    ...[...SYSTEM, etc].flatMap(shown),
    ...hiddenIn(etc, changes),
    ...resolverWords(),
    "--symlink",
    "../tmp",
    "/var/tmp",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
  ];
  return { seenAtMs, words, changes };
}

function hasChanged({ changes }: View): boolean {
  for (const [folder, at] of changes) if (maybeStat(folder)?.ctimeMs !== at) return true;
  return false;
}

function shown(folder: string): readonly string[] {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (!stat) return [];
  return stat.isSymbolicLink() ? ["--symlink", readlinkSync(folder), folder] : ["--ro-bind", folder, folder];
}

const READABLE_BY_ALL = 0o004;
const OPEN_TO_ALL = 0o005;

/**
 * Hides the entries of a folder that only this process may read, and notes the folders on the way to each
 * entry. A hidden folder is empty.
 */
function hiddenIn(folder: string, changes: Map<string, number | undefined>): readonly string[] {
  // Read the time of the folder before its entries, so that a later change counts.
  const at = maybeStat(folder)?.ctimeMs;
  const words = entriesOf(folder).flatMap((entry) => {
    const entryPath = path.join(folder, entry.name);
    if (!entry.isFile() && !entry.isDirectory()) return [];
    const isFolder = entry.isDirectory();
    const needed = isFolder ? OPEN_TO_ALL : READABLE_BY_ALL;
    const mode = maybeStat(entryPath)?.mode;
    if (mode === undefined) return [];
    if ((mode & needed) === needed) return isFolder ? hiddenIn(entryPath, changes) : [];
    if (!mayRead(entryPath)) return [];
    return isFolder ? ["--tmpfs", entryPath] : ["--ro-bind", "/dev/null", entryPath];
  });
  if (words.length > 0) changes.set(folder, at);
  return words;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // removed in between, or closed to this process and so to its jobs
  }
}

function maybeStat(file: string): Stats | undefined {
  try {
    return lstatSync(file);
  } catch {
    return undefined; // removed, or closed to this process
  }
}

function mayRead(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false; // accessSync throws exactly when the right is missing
  }
}

/** On many machines /etc/resolv.conf is a link to a file in /run, which is shown alone. */
function resolverWords(): readonly string[] {
  if (!maybeStat("/etc/resolv.conf")?.isSymbolicLink()) return [];
  const target = maybeRealPath("/etc/resolv.conf");
  return target === undefined || /^\/(etc|usr)\//.test(target) ? [] : ["--ro-bind-try", target, target];
}

function maybeRealPath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined; // a link that leads nowhere: names are not resolved outside the sandbox either
  }
}

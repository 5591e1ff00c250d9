import { accessSync, constants, lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import path from "node:path";

/** Folders of the system. On a merged /usr most of them are links into it. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc"];

/**
 * Returns the options of bwrap that show a job the system, read-only: programs, libraries and configuration. Of /etc it
 * hides what other users of the machine may not read, so that a server that runs as root gives its jobs no key.
 */
export function systemWords(): readonly string[] {
  return [
    ...SYSTEM.flatMap(shown),
    ...hiddenIn("/etc"),
    ...resolverWords(),
    "--symlink",
    "../tmp",
    "/var/tmp",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
  ];
}

function shown(folder: string): readonly string[] {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (!stat) return [];
  return stat.isSymbolicLink() ? ["--symlink", readlinkSync(folder), folder] : ["--ro-bind", folder, folder];
}

const READABLE_BY_ALL = 0o004;
const OPEN_TO_ALL = 0o005;

/** Hides the entries of a folder that this process may read and others may not. A hidden folder is empty. */
function hiddenIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const entryPath = path.join(folder, entry.name);
    if (!entry.isFile() && !entry.isDirectory()) return [];
    const isFolder = entry.isDirectory();
    const needed = isFolder ? OPEN_TO_ALL : READABLE_BY_ALL;
    const { mode } = lstatSync(entryPath);
    if ((mode & needed) === needed) return isFolder ? hiddenIn(entryPath) : [];
    if (!mayRead(entryPath)) return [];
    return isFolder ? ["--tmpfs", entryPath] : ["--ro-bind", "/dev/null", entryPath];
  });
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
  const stat = lstatSync("/etc/resolv.conf", { throwIfNoEntry: false });
  if (!stat?.isSymbolicLink()) return [];
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

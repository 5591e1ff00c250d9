import { readFileSync, realpathSync } from "node:fs";
import path from "node:path";

interface HostMountPoint {
  readonly device: string;
  /** The mounted folder of the file system. */
  readonly root: string;
  /** False if the kernel calls every folder of the file system "/". */
  readonly namesFolders: boolean;
}

/**
 * Sources of bind mounts, as named in the kernel's table of mounts. bind-sources.sh compares the sources with
 * the mounts in a job's view.
 */
export interface BindSources {
  /** The device of this process's root. */
  readonly rootDevice: string;
  /** `DEVICE FOLDER` for each path, with the escapes of the table. */
  readonly sources: readonly string[];
}

/**
 * Returns the sources of parts of a folder that are bound into a job's view. The folder itself may be reached
 * by a link. Links in the parts are not resolved: a link in a part leads to a different source. Only Linux
 * has such a table.
 */
export function bindSources(folder: string, parts: readonly string[]): BindSources {
  const mounts = mountPoints();
  const real = realpathSync(folder);
  return {
    rootDevice: mounts.get("/")!.device,
    sources: parts.map((part) => sourceOf(path.join(real, part), mounts)),
  };
}

function mountPoints(): ReadonlyMap<string, HostMountPoint> {
  const lines = readFileSync("/proc/self/mountinfo", "utf8").trimEnd().split("\n");
  return new Map(
    lines.map((line) => {
      const [, , device, root, at] = line.split(" ");
      const [type] = line.slice(line.indexOf(" - ") + 3).split(" ");
      const namesFolders = !type!.startsWith("nfs");
      return [unescaped(at!), { device: device!, root: unescaped(root!), namesFolders }];
    }),
  );
}

function sourceOf(place: string, mounts: ReadonlyMap<string, HostMountPoint>): string {
  let point = place;
  while (!mounts.has(point)) point = path.dirname(point);
  const { device, root, namesFolders } = mounts.get(point)!;
  const folder = namesFolders ? path.join(root, path.relative(point, place)) : root;
  return `${device} ${escaped(folder)}`;
}

function escaped(text: string): string {
  return text.replaceAll(/[ \t\n\\]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, "0")}`);
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
}

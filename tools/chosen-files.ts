import { execFileSync } from "node:child_process";
import { drawn } from "./draw.ts";
import { ROOT } from "./project.ts";

/** Paths that the slow tests of a folder watch, next to the folder itself. */
export const WATCHED: Readonly<Record<string, readonly string[]>> = {
  "server/test/api": ["server/src/api", "server/src/operations", "server/src/engines"],
  "server/test/backup": ["server/src/backup", "server/src/store"],
  "server/test/cli": ["server/src/cli", "server/src/app", "sdk"],
  "server/test/crash": [
    "server/src/runner",
    "server/src/store",
    "server/src/scheduler",
    "server/src/backends",
  ],
  "server/test/deploy": ["deploy", "fixtures/chart", "server/src/backends/kubernetes", "tools/chart.ts"],
  "server/test/files": ["server/src/workspace", "server/src/api/files"],
  "server/test/guides": ["docs/guides", "README.md"],
  "server/test/mutants": ["server/src/runner", "server/src/store", "server/src/engines"],
  "server/test/notebooks": ["server/src/notebooks", "server/src/operations/runs"],
  "server/test/package": ["tools", "package.json", "package-lock.json", "README.md", "examples"],
  "server/test/page": ["ui", "sdk", "server/src/api"],
  "server/test/runs": ["server/src/runner", "server/src/scheduler", "server/src/backends"],
  "server/test/servers": [
    "server/src/peers",
    "server/src/scheduler",
    "server/src/store/hosts",
    "server/src/app",
  ],
  "server/test/server": ["server/src/app", "server/src/config", "server/src/main.ts"],
  "server/test/simulation": ["server/src/runner", "server/src/store", "server/src/scheduler"],
  "server/test/snakemake": ["server/src/engines/snakemake", "server/src/app/environments"],
};

/** Each commit runs one in `DRAWN_OF` of the files unrelated to its change. */
const DRAWN_OF = 3;

/**
 * Chooses the slow test files for a change: the files that watch a changed path, and a third of the others, drawn by the
 * commit. The change begins at `CI_BASE`, or a day before the commit, because all tests run by night.
 */
export function chosenFiles(): readonly string[] {
  const files = lines("ls-files", "*.slow.test.ts");
  const { concerned, others } = chosenFrom(files, changedPaths());
  console.log(
    `${concerned.length} slow test files concern the change. Of the other ${files.length - concerned.length}, ${others.length} were drawn.`,
  );
  return [...concerned, ...others];
}

export function chosenFrom(files: readonly string[], changed: readonly string[], watched = watchedBy) {
  const isConcerned = (file: string) => changed.some((one) => watched(file).some((at) => one.startsWith(at)));
  const others = files.filter((file) => !isConcerned(file));
  return { concerned: files.filter(isConcerned), others: drawn(others, DRAWN_OF, (file) => file) };
}

/** Returns the beginnings of the paths that a test file watches. */
function watchedBy(file: string): readonly string[] {
  const [top, folder, room] = file.split("/");
  const home = `${top}/${folder}/${room}`;
  return [`${home}/`, ...(WATCHED[home] ?? [])];
}

export function changedPaths(): readonly string[] {
  const base = process.env["CI_BASE"] ?? lines("rev-list", "-1", "--before=1 day ago", "HEAD")[0];
  // A clone without history cannot tell: everything counts as changed.
  return base === undefined ? lines("ls-files") : lines("diff", "--name-only", base, "HEAD");
}

function lines(...args: readonly string[]): readonly string[] {
  const text = execFileSync("git", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 64 << 20 });
  return text.split("\n").filter((line) => line !== "");
}

import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import process from "node:process";

/** The hash of the commit: a failed draw can be repeated. Set `TEST_DRAW` to repeat the draw of another commit. */
const COMMIT = process.env["TEST_DRAW"] ?? headCommit();

/**
 * Returns one in `of` cases, drawn by the commit. Tests that take too long for each change try other cases with each
 * commit. The nightly tests try all cases.
 */
export function drawn<T>(
  cases: readonly T[],
  of: number,
  nameOf: (item: T) => string,
  seed = COMMIT,
): readonly T[] {
  const rank = (item: T) =>
    createHash("sha256")
      .update(`${seed} ${nameOf(item)}`)
      .digest("hex");
  const ranks = new Map(cases.map((item) => [item, rank(item)]));
  const last = [...ranks.values()].toSorted()[Math.ceil(cases.length / of) - 1]!;
  return cases.filter((item) => ranks.get(item)! <= last);
}

function headCommit(): string {
  const { status, stdout } = spawnSync("git", ["rev-parse", "HEAD"], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error("The commit is not known: `git rev-parse HEAD` failed. Set TEST_DRAW.");
  return stdout.trim();
}

import { UsageError } from "#cli/failure";
import { valuesIn } from "#cli/run/sweep/sweep-values";
import { splitPair } from "#workflow/run/given-parameters";

/** A `name=value` for each swept parameter, as `--param` takes them. */
export type Combination = readonly string[];

/** Maximum number of runs, since each has its own workspace. Larger scans belong in a workflow that scatters. */
const MAX_COMBINATIONS = 200;

/** Turns `--sweep x=1,2 --sweep y=a,b` into x=1 y=a, x=1 y=b, x=2 y=a, x=2 y=b. */
export function combinationsOf(sweeps: readonly string[], params: readonly string[]): Combination[] {
  const axes = sweeps.map((text) => splitPair(text));
  const names = [...params.map((text) => splitPair(text)[0]), ...axes.map(([name]) => name)];
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) {
    throw new UsageError(`${repeated} is given more than once by --param and --sweep. Give it once.`);
  }
  const all = axes.reduce<Combination[]>(
    (before, [name, values]) =>
      before.flatMap((one) =>
        [...new Set(valuesIn(name, values))].map((value) => [...one, `${name}=${value}`]),
      ),
    [[]],
  );
  if (all.length <= MAX_COMBINATIONS) return all;
  throw new UsageError(
    `--sweep asks for ${all.length} runs, and ${MAX_COMBINATIONS} is the most. Give fewer values.`,
  );
}

/** Returns a folder name such as `x=1,y=a`, with `_` in place of unsafe characters. */
export function labelOf(combination: Combination): string {
  return combination
    .join(",")
    .replace(/[^A-Za-z0-9._=,+-]/g, "_")
    .slice(0, 200);
}

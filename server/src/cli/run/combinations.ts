import { UsageError } from "#cli/failure";
import { valuesIn } from "#cli/run/sweep-values";
import { splitPair } from "#workflow/given-parameters";

/** `name=value` of each swept parameter, as `--param` takes them. */
export type Combination = readonly string[];

/** Each of them is a workspace of its own: more is a matter for a workflow that scatters. */
const MAX_COMBINATIONS = 200;

/** `--sweep x=1,2 --sweep y=a,b` → x=1 y=a, x=1 y=b, x=2 y=a, x=2 y=b */
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

/** `x=1,y=a`, as the name of a folder; what could be taken for something else is written `_`. */
export function labelOf(combination: Combination): string {
  return combination
    .join(",")
    .replace(/[^A-Za-z0-9._=,+-]/g, "_")
    .slice(0, 200);
}

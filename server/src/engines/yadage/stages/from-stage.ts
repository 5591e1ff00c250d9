import type { Draft } from "#engines/yadage/state/state";
import type { Workflow } from "#engines/yadage/model";

/** The stage that a restart starts from. */

/** Returns the names that lead to each stage: the names of the stages around it, and its own. */
export function stagePaths({ stages }: Workflow, above: readonly string[] = []): (readonly string[])[] {
  return stages.flatMap(({ name, scheduler }) => {
    const path = [...above, name];
    const workflows = [scheduler.workflow, ...(scheduler.cases ?? []).map((one) => one.workflow)];
    return [path, ...workflows.flatMap((one) => (one ? stagePaths(one, path) : []))];
  });
}

/** Returns the names that lead to a stage of the run. */
export function pathOfRule(draft: Draft, rule: number): readonly string[] {
  const { scope, name } = draft.rule(rule);
  const { maker } = draft.scope(scope);
  return maker === null ? [name] : [...pathOfRule(draft, maker), name];
}

/** Returns whether the stage, or one around it, has that name: `fit`, or `map/fit`. Ignores case. */
export function isWithinStage(path: readonly string[], wanted: string): boolean {
  const name = wanted.toLowerCase().replace(/^\//, "");
  return path.some((one, at) =>
    [one, path.slice(0, at + 1).join("/")].some((known) => known.toLowerCase() === name),
  );
}

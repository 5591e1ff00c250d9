import type { Draft } from "#engines/yadage/state/state";
import type { Workflow } from "#engines/yadage/model";

/** The stage from which a restart starts. */

/** Returns the path of each stage: the names of the stages around it, and its own name. */
export function stagePaths({ stages }: Workflow, above: readonly string[] = []): (readonly string[])[] {
  return stages.flatMap(({ name, scheduler }) => {
    const path = [...above, name];
    const workflows = [scheduler.workflow, ...(scheduler.cases ?? []).map((one) => one.workflow)];
    return [path, ...workflows.flatMap((one) => (one ? stagePaths(one, path) : []))];
  });
}

/** Returns the path of names of a stage of the run. */
export function pathOfRule(draft: Draft, rule: number): readonly string[] {
  const { scope, name } = draft.rule(rule);
  const { maker } = draft.scope(scope);
  return maker === null ? [name] : [...pathOfRule(draft, maker), name];
}

/** Returns whether the stage, or a stage around it, has the given name: `fit`, or `map/fit`. Ignores case. */
export function isWithinStage(path: readonly string[], wanted: string): boolean {
  const name = wanted.toLowerCase().replace(/^\//, "");
  return path.some((one, at) =>
    [one, path.slice(0, at + 1).join("/")].some((known) => known.toLowerCase() === name),
  );
}

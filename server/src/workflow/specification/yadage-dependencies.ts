import { isObject } from "#workflow/specification/shape";

/** A stage of a Yadage workflow that waits forever. */
interface StuckStage {
  readonly name: string;
  /** Position among the stages. */
  readonly index: number;
  /** Why, as the end of a sentence about the stage. */
  readonly reason: string;
}

/**
 * Returns the stages that can never become applicable, because of a dependency on a missing stage, on each
 * other, or on another stuck stage. Yadage omits such stages silently, and the run counts as successful.
 */
export function stuckStages(
  stages: readonly { readonly name?: unknown; readonly dependencies?: unknown }[],
  { hasInit }: { readonly hasInit: boolean },
): StuckStage[] {
  const known = new Set([...(hasInit ? ["init"] : []), ...stages.map(({ name }) => name)]);
  const waiting = stages.map(({ name, dependencies }, index) => ({
    name: String(name),
    index,
    needs: needsOf(dependencies),
  }));
  const free = new Set<unknown>(hasInit ? ["init"] : []);
  let left = waiting;
  for (let before = -1; before !== left.length;) {
    before = left.length;
    for (const { name, needs } of left) if (needs.every((need) => free.has(need))) free.add(name);
    left = left.filter(({ name }) => !free.has(name));
  }
  return left.map(({ name, index, needs }) => ({ name, index, reason: reasonOf(needs, known, free) }));
}

function reasonOf(needs: readonly string[], known: ReadonlySet<unknown>, free: ReadonlySet<unknown>): string {
  const unknown = needs.find((need) => !known.has(need));
  if (unknown === "init") return 'it depends on "init", and a run without parameters has no such stage';
  if (unknown !== undefined) return `it depends on "${unknown}", which is no stage`;
  return `it depends on "${needs.find((need) => !free.has(need))!}", which never becomes applicable either`;
}

/** A JSONPath that begins with the name of a stage. The selection of any other path is known only during the run. */
const FIRST_NAME = /^\$?\.?([A-Za-z_@][A-Za-z0-9_@-]*)(?=$|[.[|])/;

function needsOf(dependencies: unknown): string[] {
  const { dependency_type: type, expressions } = isObject(dependencies)
    ? dependencies
    : { dependency_type: "jsonpath_ready", expressions: dependencies };
  if (type !== "jsonpath_ready" || !Array.isArray(expressions)) return [];
  return expressions.flatMap((one) =>
    typeof one === "string" && !one.includes("|") ? (FIRST_NAME.exec(one)?.[1] ?? []) : [],
  );
}

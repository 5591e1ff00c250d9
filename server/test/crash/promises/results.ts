import { declaredPaths } from "#workflow/specification/declared-paths";
import type { Specification } from "#workflow/specification/specification";
import type { Rows } from "./rows.ts";

/** P1: the outputs of a run are recorded together with its end, and never before. */
export function wrongResults(rows: Rows): string[] {
  const recorded = new Set(rows.results.map((row) => row.run_id));
  const declaring = new Set(
    rows.definitions
      .filter(({ specification }) => declaresOutputs(JSON.parse(specification) as Specification))
      .map((row) => row.run_seq),
  );
  return rows.runs.flatMap(({ id, seq, status, started_at: startedAt }) => {
    const isLive = ["created", "queued", "pending", "running"].includes(status);
    if (isLive && recorded.has(id)) return [`The results of ${id} are recorded, and it is ${status}.`];
    const hasEnded = ["finished", "failed", "stopped"].includes(status) && startedAt !== null;
    if (!hasEnded || !declaring.has(seq) || recorded.has(id)) return [];
    return [`P1: ${id} is ${status}, and its results are not recorded.`];
  });
}

function declaresOutputs(specification: Specification): boolean {
  return declaredPaths(specification).outputs.length > 0;
}

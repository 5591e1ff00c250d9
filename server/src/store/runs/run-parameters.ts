import type { Connection } from "#store/database/database";
import { parametersIn } from "#workflow/run/listed-parameters";

/** Returns the listed parameters of runs, by their sequence numbers. */
export async function parametersOfRuns(
  db: Connection,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, Record<string, unknown>>> {
  if (seqs.length === 0) return new Map();
  const rows = await db
    .selectFrom("run_definitions")
    .select(["run_seq", "listed_parameters"])
    .where("run_seq", "in", [...seqs])
    .execute();
  return new Map(rows.map((row) => [row.run_seq, parametersIn(row.listed_parameters)]));
}

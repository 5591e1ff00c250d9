import { expect, vi } from "vitest";
import type { Connection } from "#store/database/database";

/** Returns the plan of every query that `ask` makes, as the rows that the database's `explain` statement returns. */
export async function plansOf(
  db: Connection,
  explain: "explain" | "explain query plan",
  ask: () => Promise<unknown>,
): Promise<Record<string, string>[][]> {
  const asking = vi.spyOn(db.getExecutor(), "executeQuery");
  await ask();
  const queries = asking.mock.calls.map(([query]) => query);
  asking.mockRestore();
  expect(queries).not.toEqual([]);
  const plans: Record<string, string>[][] = [];
  for (const query of queries) {
    const explained = { ...query, sql: `${explain} ${query.sql}` };
    plans.push((await db.executeQuery<Record<string, string>>(explained)).rows);
  }
  return plans;
}

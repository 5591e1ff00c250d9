import { expect, vi } from "vitest";
import type { Connection } from "#store/database";

/** How the database carries out every query that `ask` makes: the rows of each plan, as its word for `explain` gives them. */
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

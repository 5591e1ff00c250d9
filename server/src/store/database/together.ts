/**
 * Waits for statements of one transaction, started together. PostgreSQL receives the statements in starting
 * order without a round trip for each. SQLite runs them in sequence. Throws the error of the first failed
 * statement after the last has ended, because a statement must not reach a connection after its transaction.
 */
export async function together<const Work extends readonly unknown[]>(
  work: Work,
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  const settled = await Promise.allSettled(work);
  const values = settled.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
  return values as { -readonly [Index in keyof Work]: Awaited<Work[Index]> };
}

/**
 * Waits for statements of one transaction that were started together. PostgreSQL receives them in the order in which they
 * were started and without a round trip for each; SQLite runs one after the other. Throws the error of the first that
 * failed, after the last has ended: none may reach a connection whose transaction is over.
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

/**
 * Runs the work for each item, with `atOnce` items at a time. After a failure no new work starts; the first failure is
 * thrown when the running work has ended.
 */
export async function inParallel<Item>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const rest = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = rest.next(); !next.done && failures.length === 0; next = rest.next()) {
      await work(next.value).catch((error: unknown) => void failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failures.length > 0) throw failures[0];
}

/** A queue in which users take turns: many requests of one user do not delay another user's first request. */
export interface Turns<Item> {
  add(item: Item): void;
  /** Removes and returns the oldest request of the user whose last turn was longest ago. */
  maybeNext(): Item | undefined;
  /** Removes and returns the requests for which `isWanted` returns true. Default: all. */
  removeAll(isWanted?: (item: Item) => boolean): Item[];
  /** Returns the waiting requests, oldest first. */
  waiting(): readonly Item[];
}

export function createTurns<Item extends { readonly ownerId: string }>(): Turns<Item> {
  let waiting: Item[] = [];
  const lastTurns = new Map<string, number>();
  let turns = 0;
  const lastTurnOf = ({ ownerId }: Item) => lastTurns.get(ownerId) ?? 0;

  return {
    add: (item) => void waiting.push(item),
    maybeNext() {
      if (waiting.length === 0) lastTurns.clear();
      const least = Math.min(...new Set(waiting.map(lastTurnOf)));
      const index = waiting.findIndex((item) => lastTurnOf(item) === least);
      const [next] = index === -1 ? [] : waiting.splice(index, 1);
      if (next) lastTurns.set(next.ownerId, (turns += 1));
      return next;
    },
    removeAll(isWanted = () => true) {
      const removed = waiting.filter(isWanted);
      waiting = waiting.filter((item) => !isWanted(item));
      return removed;
    },
    waiting: () => waiting,
  };
}

/**
 * A replacement on the way from one sequence to another. The edits are the fewest possible, by Myers ("An O(ND)
 * Difference Algorithm", 1986), if they are found within a bound. Elements are numbers and compared as such.
 */
export interface Edit {
  /** `a[aStart..aEnd)` is replaced by `b[bStart..bEnd)`; one of the two ranges may be empty. */
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
}

/** The memory of the search grows with the square of this number: here up to 9 MB. */
const EDITS_MAX = 1500;
/** About a tenth of a second. */
const STEPS_MAX = 20_000_000;

type Pair = readonly [aIndex: number, bIndex: number];

/**
 * Returns the fewest edits from `a` to `b` in ascending order. Past the bound, all between the equal ends is one edit.
 */
export function editsBetween(a: readonly number[], b: readonly number[]): Edit[] {
  const start = commonStart(a, b);
  const end = commonEnd(a, b, start);
  const aEnd = a.length - end;
  const bEnd = b.length - end;
  const kept = [...sharedIndexes(a, b, start, aEnd, bEnd)] as const;
  const pairs = longestPairing(
    kept[0].map((index) => a[index]!),
    kept[1].map((index) => b[index]!),
  );
  const matched = pairs.map(([i, j]): Pair => [kept[0][i]!, kept[1][j]!]);
  return between([[start - 1, start - 1], ...matched, [aEnd, bEnd]]);
}

function commonStart(a: readonly number[], b: readonly number[]): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[length] === b[length]) length += 1;
  return length;
}

function commonEnd(a: readonly number[], b: readonly number[], start: number): number {
  const most = Math.min(a.length, b.length) - start;
  let length = 0;
  while (length < most && a[a.length - 1 - length] === b[b.length - 1 - length]) length += 1;
  return length;
}

/**
 * Returns the elements that occur on both sides. The search skips all remaining elements, which are edits in
 * any case.
 */
function sharedIndexes(
  a: readonly number[],
  b: readonly number[],
  start: number,
  aEnd: number,
  bEnd: number,
): [number[], number[]] {
  const [inA, inB] = [new Set(a.slice(start, aEnd)), new Set(b.slice(start, bEnd))];
  return [indexesOf(a, start, aEnd, inB), indexesOf(b, start, bEnd, inA)];
}

function indexesOf(
  values: readonly number[],
  start: number,
  end: number,
  wanted: ReadonlySet<number>,
): number[] {
  const found: number[] = [];
  for (let index = start; index < end; index += 1) if (wanted.has(values[index]!)) found.push(index);
  return found;
}

/** Returns the longest common subsequence, or an empty list if the search would take too long. */
function longestPairing(a: readonly number[], b: readonly number[]): Pair[] {
  if (a.length === 0 || b.length === 0) return [];
  const trace: Int32Array[] = [];
  const furthest = new Int32Array(2 * EDITS_MAX + 3);
  const middle = EDITS_MAX + 1;
  let steps = 0;
  for (let edits = 0; edits <= EDITS_MAX && steps < STEPS_MAX; edits += 1) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = middle + diagonal;
      const comesDown = diagonal === -edits || (diagonal !== edits && furthest[at - 1]! < furthest[at + 1]!);
      let x = comesDown ? furthest[at + 1]! : furthest[at - 1]! + 1;
      const before = x;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1;
      steps += 1 + x - before;
      furthest[at] = x;
      if (x >= a.length && x - diagonal >= b.length) return pairsOnTheWay(trace, a.length, b.length);
    }
    trace.push(furthest.slice(middle - edits, middle + edits + 1));
  }
  return [];
}

/** Walks the trace from the end to the start, with one edit less at each step. */
function pairsOnTheWay(trace: readonly Int32Array[], aLength: number, bLength: number): Pair[] {
  const pairs: Pair[] = [];
  let [x, y] = [aLength, bLength];
  for (let edits = trace.length; edits >= 0; edits -= 1) {
    const [fromX, fromY] = edits === 0 ? [0, 0] : comingFrom(trace[edits - 1]!, edits, x - y);
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      pairs.push([x, y]);
    }
    [x, y] = [fromX, fromY];
  }
  return pairs.toReversed();
}

function comingFrom(furthest: Int32Array, edits: number, diagonal: number): readonly [x: number, y: number] {
  const reached = (on: number) => furthest[on + edits - 1]!;
  const comesDown =
    diagonal === -edits || (diagonal !== edits && reached(diagonal - 1) < reached(diagonal + 1));
  const from = comesDown ? diagonal + 1 : diagonal - 1;
  return [reached(from), reached(from) - from];
}

function between(pairs: readonly Pair[]): Edit[] {
  const edits: Edit[] = [];
  for (let index = 1; index < pairs.length; index += 1) {
    const [[a, b], [aEnd, bEnd]] = [pairs[index - 1]!, pairs[index]!];
    if (aEnd > a + 1 || bEnd > b + 1) edits.push({ aStart: a + 1, aEnd, bStart: b + 1, bEnd });
  }
  return edits;
}

/** Returns a function that numbers texts. Equal texts get equal numbers. */
export function createNumbering(): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    const number = known.get(text) ?? known.size;
    known.set(text, number);
    return number;
  };
}

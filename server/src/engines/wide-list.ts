/**
 * A list for the state of an engine that gathers very many results, one at a time and in any order. The list is plain
 * JSON and is never changed in place: `withItem` copies the path to the item, at most four blocks of 32 for a million
 * items. Copying a plain array at each of n events would cost n² steps.
 */
export interface WideList<Item> {
  /** The last set position, plus one. */
  readonly length: number;
  /** The number of levels below the root. */
  readonly depth: number;
  readonly root: Block<Item>;
}

type Block<Item> = readonly (Block<Item> | Item | null)[];

const BITS = 5;
const WIDTH = 2 ** BITS;

export function emptyList<Item>(): WideList<Item> {
  return { length: 0, depth: 0, root: [] };
}

/** Returns the list with an item set at a position, possibly past the end. */
export function withItem<Item>(list: WideList<Item>, index: number, item: Item): WideList<Item> {
  let { depth, root } = list;
  while (index >= WIDTH ** (depth + 1)) {
    root = root.length === 0 ? [] : [root];
    depth += 1;
  }
  return { length: Math.max(list.length, index + 1), depth, root: withChild(root, depth, index, item) };
}

function withChild<Item>(block: Block<Item>, depth: number, index: number, item: Item): Block<Item> {
  const place = slot(index, depth);
  const copy = block.slice();
  // JSON has no holes: unset items are null.
  while (copy.length <= place) copy.push(null);
  const child = () => withChild((block[place] ?? []) as Block<Item>, depth - 1, index, item);
  copy[place] = depth === 0 ? item : child();
  return copy;
}

/** Returns the list without the item at the position. Empty blocks are dropped, so that an emptied list is small. */
export function withoutItem<Item>(list: WideList<Item>, index: number): WideList<Item> {
  if (itemAt(list, index) === null) return list;
  return { ...list, root: withoutChild(list.root, list.depth, index) ?? [] };
}

function withoutChild<Item>(block: Block<Item>, depth: number, index: number): Block<Item> | null {
  const place = slot(index, depth);
  const child = depth === 0 ? null : withoutChild(block[place] as Block<Item>, depth - 1, index);
  const left = block.with(place, child);
  return left.every((one) => one === null) ? null : left;
}

/** Returns the item at the position, or null if the position is not set. */
export function itemAt<Item>({ depth, root }: WideList<Item>, index: number): Item | null {
  if (index >= WIDTH ** (depth + 1)) return null;
  let block: Block<Item> = root;
  for (let level = depth; level > 0; level -= 1) block = (block[slot(index, level)] ?? []) as Block<Item>;
  return (block[slot(index, 0)] ?? null) as Item | null;
}

/** Returns all items in order, with null for unset items. */
export function itemsOf<Item>(list: WideList<Item>): (Item | null)[] {
  return Array.from({ length: list.length }, (_, index) => itemAt(list, index));
}

function slot(index: number, depth: number): number {
  return Math.floor(index / WIDTH ** depth) % WIDTH;
}

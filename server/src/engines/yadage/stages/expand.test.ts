import fc from "fast-check";
import { expect, test } from "vitest";
import type { MultiStep } from "#engines/yadage/model";
import { countOf, parametersAt, parameterSets } from "#engines/yadage/stages/expand";

/** Compares scatters with a slow and obvious model that makes all parts at once. */

type Lists = Readonly<Record<string, readonly unknown[]>>;

interface Scatter {
  readonly method: "zip" | "cartesian";
  readonly lists: Lists;
  readonly common: Readonly<Record<string, unknown>>;
  readonly batchsize?: number;
  readonly partitionsize?: number;
}

const scatterArbitrary: fc.Arbitrary<Scatter> = fc
  .record({
    method: fc.constantFrom("zip" as const, "cartesian" as const),
    lists: fc.dictionary(fc.constantFrom("a", "b", "c"), fc.array(fc.nat(9), { maxLength: 7 }), {
      minKeys: 1,
      noNullPrototype: true,
    }),
    common: fc.dictionary(fc.constantFrom("x", "y"), fc.string(), { noNullPrototype: true }),
    size: fc.option(
      fc.record({ by: fc.constantFrom("batchsize", "partitionsize"), of: fc.integer({ min: 1, max: 9 }) }),
    ),
  })
  .map(({ size, ...scatter }) => (size === null ? scatter : { ...scatter, [size.by]: size.of }));

test("a scatter has the parts of the model, in its order", () => {
  fc.assert(
    fc.property(scatterArbitrary, (scatter) => {
      const sets = parameterSets(undefined as never, undefined as never, 0, schedulerOf(scatter));
      const parts = Array.from({ length: countOf(sets) }, (_, position) => parametersAt(sets, position));
      expect(parts).toEqual(modelOf(scatter));
    }),
    { numRuns: 1000 },
  );
});

function schedulerOf({ method, lists, common, ...sizes }: Scatter): MultiStep {
  const parameters = Object.entries({ ...lists, ...common }).map(([key, value]) => ({ key, value }));
  const scatter = { method, parameters: Object.keys(lists) };
  return { scheduler_type: "multistep-stage", parameters, scatter, ...sizes };
}

function modelOf({ method, lists, common, batchsize, partitionsize }: Scatter): object[] {
  const grouped = Object.entries(lists).map(([key, list]): [string, unknown[]] => [
    key,
    batchsize
      ? inBatches([...list], batchsize)
      : partitionsize
        ? inParts([...list], partitionsize)
        : [...list],
  ]);
  const parts = method === "zip" ? zipped(grouped) : product(grouped);
  return parts.map((part) => ({ ...common, ...part }));
}

function inBatches(list: unknown[], size: number): unknown[] {
  return list.length === 0 ? [] : [list.slice(0, size), ...inBatches(list.slice(size), size)];
}

/** Takes an equal share of the rest from the front, rounded down: the later parts are longer. */
function inParts(list: unknown[], count: number): unknown[] {
  if (list.length === 0) return [];
  const size = Math.floor(list.length / Math.min(count, list.length));
  return [list.slice(0, size), ...inParts(list.slice(size), Math.min(count, list.length) - 1)];
}

function zipped(lists: readonly [string, unknown[]][]): object[] {
  if (lists.some(([, list]) => list.length === 0)) return [];
  const first = Object.fromEntries(lists.map(([key, list]) => [key, list[0]]));
  return [first, ...zipped(lists.map(([key, list]) => [key, list.slice(1)]))];
}

/** The last list turns fastest. */
function product(lists: readonly [string, unknown[]][]): object[] {
  const [first, ...rest] = lists;
  if (!first) return [{}];
  const [key, list] = first;
  return list.flatMap((item) => product(rest).map((part) => ({ [key]: item, ...part })));
}

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPlaces } from "#scheduler/places";

const GiB = 2 ** 30;

const claim = (jobId: string, ownerId: string, cores = 1, memoryBytes = 0) => ({
  jobId,
  ownerId,
  resources: { cores, memoryBytes },
});

/** Turns are given in a microtask. */
const soon = () => Promise.resolve();

function queueOf(capacity: { cores: number; memoryBytes: number }) {
  const places = createPlaces(capacity);
  const turns: string[] = [];
  const ask = (...args: Parameters<typeof claim>) =>
    places.wait(claim(...args), () => void turns.push(args[0]));
  return { places, turns, ask };
}

describe("the places of a host", () => {
  test("are taken at once as long as there are any, then waited for in order", async () => {
    const { places, turns, ask } = queueOf({ cores: 2, memoryBytes: GiB });
    expect([1, 2, 3].map((n) => places.maybeTake(claim(`a${n}`, "ada")))).toEqual([true, true, false]);
    ask("a3", "ada");
    ask("a4", "ada");
    await soon();
    expect(turns).toEqual([]);
    places.give("a1");
    await soon();
    expect(turns).toEqual(["a3"]);
    places.give("a2");
    places.give("a3");
    await soon();
    expect(turns).toEqual(["a3", "a4"]);
  });

  test("ten thousand waiting jobs of one user do not delay the first of another", async () => {
    const { places, turns, ask } = queueOf({ cores: 2, memoryBytes: GiB });
    for (const id of ["a1", "a2"]) places.maybeTake(claim(id, "ada"));
    for (let n = 3; n < 10_000; n += 1) ask(`a${n}`, "ada");
    ask("b1", "bob");
    ask("b2", "bob");
    places.give("a1");
    await soon();
    expect(turns).toEqual(["b1"]);
    places.give("a2");
    await soon();
    expect(turns).toEqual(["b1", "a3"]);
  });

  test("who holds equally little takes turns, also where there is one place for all", async () => {
    const { places, turns, ask } = queueOf({ cores: 1, memoryBytes: GiB });
    places.maybeTake(claim("a0", "ada"));
    for (let n = 1; n <= 5; n += 1) ask(`a${n}`, "ada");
    ask("b1", "bob");
    ask("c1", "carol");
    const end = async (id: string) => {
      places.give(id);
      await soon();
    };
    await end("a0");
    await end("b1");
    // A run whose jobs follow each other asks again after its place has been given to another.
    ask("b2", "bob");
    await end("c1");
    await end("a1");
    await end("b2");
    await end("a2");
    expect(turns).toEqual(["b1", "c1", "a1", "b2", "a2", "a3"]);
  });

  test("a large job is not passed for ever by small ones", async () => {
    const { places, turns, ask } = queueOf({ cores: 4, memoryBytes: GiB });
    for (const id of ["a1", "a2"]) places.maybeTake(claim(id, "ada"));
    ask("large", "ada", 4);
    ask("small", "ada", 1);
    expect(places.maybeTake(claim("quick", "bob"))).toBe(false);
    places.give("a1");
    await soon();
    expect(turns).toEqual([]);
    places.give("a2");
    await soon();
    expect(turns).toEqual(["large"]);
    places.give("large");
    await soon();
    expect(turns).toEqual(["large", "small"]);
  });

  test("memory counts as well, and who asks for more than there is gets all there is", async () => {
    const { places, turns, ask } = queueOf({ cores: 8, memoryBytes: GiB });
    expect(places.maybeTake(claim("a", "ada", 1, GiB / 2))).toBe(true);
    expect(places.maybeTake(claim("b", "ada", 1, GiB))).toBe(false);
    ask("huge", "bob", 64, 100 * GiB);
    await soon();
    expect(turns).toEqual([]);
    places.give("a");
    await soon();
    expect(turns).toEqual(["huge"]);
    expect(places.maybeTake(claim("c", "ada"))).toBe(false);
  });

  test("a job that runs already is counted, however many there are", async () => {
    const { places, turns, ask } = queueOf({ cores: 1, memoryBytes: GiB });
    for (const id of ["a", "b", "b"]) places.take(claim(id, "ada"));
    ask("c", "ada");
    places.give("a");
    await soon();
    expect(turns).toEqual([]);
    places.give("b");
    await soon();
    expect(turns).toEqual(["c"]);
  });

  test("who no longer waits is not called, and giving twice frees nothing twice", async () => {
    const { places, turns, ask } = queueOf({ cores: 1, memoryBytes: GiB });
    places.take(claim("a", "ada"));
    ask("b", "ada");
    ask("c", "bob");
    places.give("b");
    places.give("a");
    places.give("a");
    await soon();
    expect(turns).toEqual(["c"]);
    expect(places.maybeTake(claim("d", "ada"))).toBe(false);
  });

  test("whatever is asked and given, no more is taken than there is, and in the end all get their turn", async () => {
    const job = fc.record({
      owner: fc.nat(3),
      cores: fc.constantFrom(0.1, 0.3, 1, 2, 9),
      memory: fc.nat(2000),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(job, { maxLength: 30 }),
        fc.infiniteStream(fc.nat(30)),
        async (jobs, picks) => {
          const capacity = { cores: 4, memoryBytes: 1000 };
          const places = createPlaces(capacity);
          const holding = new Map<string, { cores: number; memory: number }>();
          for (const [index, { owner, cores, memory }] of jobs.entries()) {
            const taken = { cores: Math.min(cores, 4), memory: Math.min(memory, 1000) };
            places.wait(claim(`j${index}`, `u${owner}`, cores, memory), () =>
              holding.set(`j${index}`, taken),
            );
          }
          for (let ended = 0; ended < jobs.length; ended += 1) {
            await soon();
            const held = [...holding.values()];
            expect(held.reduce((sum, one) => sum + one.cores, 0)).toBeLessThan(4.0001);
            expect(held.reduce((sum, one) => sum + one.memory, 0)).toBeLessThanOrEqual(1000);
            const ids = [...holding.keys()];
            expect(ids.length).toBeGreaterThan(0);
            const id = ids[(picks.next().value as number) % ids.length]!;
            holding.delete(id);
            places.give(id);
          }
          await soon();
          expect(holding.size).toBe(0);
          expect(places.maybeTake(claim("all", "x", 4, 1000))).toBe(true);
        },
      ),
    );
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createHostCapacity } from "#scheduler/host-capacity";

const GiB = 2 ** 30;

const request = (jobId: string, ownerId: string, cores = 1, memoryBytes = 0, gpus = 0) => ({
  jobId,
  runId: `run of ${jobId}`,
  ownerId,
  resources: { cores, memoryBytes, gpus },
});

/** Shares are granted in a microtask. */
const soon = () => Promise.resolve();

function queueOf(available: { cores: number; memoryBytes: number; gpus?: number }) {
  const capacity = createHostCapacity(available);
  const turns: string[] = [];
  const ask = (...args: Parameters<typeof request>) =>
    capacity.enqueue(request(...args), () => void turns.push(args[0]));
  return { capacity, turns, ask };
}

describe("the capacity of a host", () => {
  test("is acquired at once as long as some is free, then queued for in order", async () => {
    const { capacity, turns, ask } = queueOf({ cores: 2, memoryBytes: GiB });
    expect([1, 2, 3].map((n) => capacity.tryAcquire(request(`a${n}`, "ada")))).toEqual([true, true, false]);
    ask("a3", "ada");
    ask("a4", "ada");
    await soon();
    expect(turns).toEqual([]);
    capacity.release("a1");
    await soon();
    expect(turns).toEqual(["a3"]);
    capacity.release("a2");
    capacity.release("a3");
    await soon();
    expect(turns).toEqual(["a3", "a4"]);
  });

  test("ten thousand waiting jobs of one user do not delay the first of another", async () => {
    const { capacity, turns, ask } = queueOf({ cores: 2, memoryBytes: GiB });
    for (const id of ["a1", "a2"]) capacity.tryAcquire(request(id, "ada"));
    for (let n = 3; n < 10_000; n += 1) ask(`a${n}`, "ada");
    ask("b1", "bob");
    ask("b2", "bob");
    capacity.release("a1");
    await soon();
    expect(turns).toEqual(["b1"]);
    capacity.release("a2");
    await soon();
    expect(turns).toEqual(["b1", "a3"]);
  });

  test("users with equal use take turns, even if there is room for only one job", async () => {
    const { capacity, turns, ask } = queueOf({ cores: 1, memoryBytes: GiB });
    capacity.tryAcquire(request("a0", "ada"));
    for (let n = 1; n <= 5; n += 1) ask(`a${n}`, "ada");
    ask("b1", "bob");
    ask("c1", "carol");
    const end = async (id: string) => {
      capacity.release(id);
      await soon();
    };
    await end("a0");
    await end("b1");
    // A run with a sequence of jobs asks again after its place has been given to another run.
    ask("b2", "bob");
    await end("c1");
    await end("a1");
    await end("b2");
    await end("a2");
    expect(turns).toEqual(["b1", "c1", "a1", "b2", "a2", "a3"]);
  });

  test("small jobs do not overtake a large one for ever", async () => {
    const { capacity, turns, ask } = queueOf({ cores: 4, memoryBytes: GiB });
    for (const id of ["a1", "a2"]) capacity.tryAcquire(request(id, "ada"));
    ask("large", "ada", 4);
    ask("small", "ada", 1);
    expect(capacity.tryAcquire(request("quick", "bob"))).toBe(false);
    capacity.release("a1");
    await soon();
    expect(turns).toEqual([]);
    capacity.release("a2");
    await soon();
    expect(turns).toEqual(["large"]);
    capacity.release("large");
    await soon();
    expect(turns).toEqual(["large", "small"]);
  });

  test("memory counts too, and a job that requests more than the capacity gets all of it", async () => {
    const { capacity, turns, ask } = queueOf({ cores: 8, memoryBytes: GiB });
    expect(capacity.tryAcquire(request("a", "ada", 1, GiB / 2))).toBe(true);
    expect(capacity.tryAcquire(request("b", "ada", 1, GiB))).toBe(false);
    ask("huge", "bob", 64, 100 * GiB);
    await soon();
    expect(turns).toEqual([]);
    capacity.release("a");
    await soon();
    expect(turns).toEqual(["huge"]);
    expect(capacity.tryAcquire(request("c", "ada"))).toBe(false);
  });

  test("a job that runs already is counted, even if too little is free", async () => {
    const { capacity, turns, ask } = queueOf({ cores: 1, memoryBytes: GiB });
    for (const id of ["a", "b", "b"]) capacity.acquire(request(id, "ada"));
    ask("c", "ada");
    capacity.release("a");
    await soon();
    expect(turns).toEqual([]);
    capacity.release("b");
    await soon();
    expect(turns).toEqual(["c"]);
  });

  test("no capacity is granted during the resumption of a run, and running jobs then count first", async () => {
    const { capacity, turns, ask } = queueOf({ cores: 1, memoryBytes: GiB });
    const holds = [capacity.hold(), capacity.hold()];
    expect(capacity.tryAcquire(request("a1", "ada"))).toBe(false);
    ask("a1", "ada");
    holds[0]!();
    holds[0]!();
    await soon();
    expect(turns).toEqual([]);
    capacity.acquire(request("b1", "bob"));
    holds[1]!();
    await soon();
    expect(turns).toEqual([]);
    capacity.release("b1");
    await soon();
    expect(turns).toEqual(["a1"]);
  });

  test("a job that left the queue is not called, and a second release frees nothing", async () => {
    const { capacity, turns, ask } = queueOf({ cores: 1, memoryBytes: GiB });
    capacity.acquire(request("a", "ada"));
    ask("b", "ada");
    ask("c", "bob");
    capacity.release("b");
    capacity.release("a");
    capacity.release("a");
    await soon();
    expect(turns).toEqual(["c"]);
    expect(capacity.tryAcquire(request("d", "ada"))).toBe(false);
  });

  test("a job that waits for a GPU lets jobs without GPUs pass, and no other job with a GPU", async () => {
    const { capacity, turns, ask } = queueOf({ cores: 4, memoryBytes: GiB, gpus: 2 });
    expect(capacity.tryAcquire(request("a1", "ada", 1, 0, 1))).toBe(true);
    ask("a2", "ada", 1, 0, 2);
    ask("a3", "ada", 1, 0, 1);
    await soon();
    expect(capacity.waitingForGpus()).toEqual(new Map([["run of a2", 2]]));
    expect(capacity.tryAcquire(request("b1", "bob", 1, 0, 1))).toBe(false);
    expect(capacity.tryAcquire(request("b2", "bob"))).toBe(true);
    ask("a4", "ada");
    await soon();
    expect(turns).toEqual(["a4"]);
    capacity.release("a1");
    await soon();
    expect(turns).toEqual(["a4", "a2"]);
    capacity.release("a2");
    await soon();
    expect(turns).toEqual(["a4", "a2", "a3"]);
    expect(capacity.waitingForGpus()).toEqual(new Map());
  });

  test("users take turns with one GPU, and a user who holds it comes last for cores", async () => {
    const { capacity, turns, ask } = queueOf({ cores: 2, memoryBytes: GiB, gpus: 1 });
    capacity.tryAcquire(request("a1", "ada", 1, 0, 1));
    ask("a2", "ada", 1, 0, 1);
    ask("a3", "ada", 1, 0, 1);
    ask("b1", "bob", 1, 0, 1);
    capacity.release("a1");
    await soon();
    capacity.release("b1");
    await soon();
    expect(turns).toEqual(["b1", "a2"]);
    capacity.acquire(request("c", "carol"));
    ask("a4", "ada");
    ask("b2", "bob");
    capacity.release("c");
    await soon();
    expect(turns).toEqual(["b1", "a2", "b2"]);
  });

  test("a job that waits for cores as well as a GPU holds back the others", async () => {
    const { capacity, turns, ask } = queueOf({ cores: 2, memoryBytes: GiB, gpus: 1 });
    capacity.tryAcquire(request("a1", "ada"));
    ask("a2", "ada", 2, 0, 1);
    expect(capacity.tryAcquire(request("b1", "bob"))).toBe(false);
    capacity.release("a1");
    await soon();
    expect(turns).toEqual(["a2"]);
  });

  test("for any requests and releases, the capacity is never exceeded and every job gets its turn", async () => {
    const job = fc.record({
      owner: fc.nat(3),
      cores: fc.constantFrom(0.1, 0.3, 1, 2, 9),
      memory: fc.nat(2000),
      gpus: fc.constantFrom(0, 0, 0, 1, 2, 5),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(job, { maxLength: 30 }),
        fc.infiniteStream(fc.nat(30)),
        async (jobs, picks) => {
          const available = { cores: 4, memoryBytes: 1000, gpus: 2 };
          const capacity = createHostCapacity(available);
          const holding = new Map<string, { cores: number; memory: number; gpus: number }>();
          for (const [index, { owner, cores, memory, gpus }] of jobs.entries()) {
            const taken = {
              cores: Math.min(cores, 4),
              memory: Math.min(memory, 1000),
              gpus: Math.min(gpus, 2),
            };
            capacity.enqueue(request(`j${index}`, `u${owner}`, cores, memory, gpus), () =>
              holding.set(`j${index}`, taken),
            );
          }
          for (let ended = 0; ended < jobs.length; ended += 1) {
            await soon();
            const held = [...holding.values()];
            expect(held.reduce((sum, one) => sum + one.cores, 0)).toBeLessThan(4.0001);
            expect(held.reduce((sum, one) => sum + one.memory, 0)).toBeLessThanOrEqual(1000);
            expect(held.reduce((sum, one) => sum + one.gpus, 0)).toBeLessThanOrEqual(2);
            const ids = [...holding.keys()];
            expect(ids.length).toBeGreaterThan(0);
            const id = ids[(picks.next().value as number) % ids.length]!;
            holding.delete(id);
            capacity.release(id);
          }
          await soon();
          expect(holding.size).toBe(0);
          expect(capacity.tryAcquire(request("all", "x", 4, 1000, 2))).toBe(true);
        },
      ),
    );
  });
});

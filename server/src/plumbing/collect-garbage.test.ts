import { expect, test } from "vitest";
import { garbageCollector } from "#plumbing/collect-garbage";

test("unreachable objects are freed", () => {
  const collect = garbageCollector();
  const isFreed = new WeakRef(Array.from({ length: 1000 }, (_, index) => ({ index })));
  const freed = new Promise<boolean>((resolve) => {
    // A weak reference keeps its object until the present task has ended.
    setImmediate(() => {
      collect();
      resolve(isFreed.deref() === undefined);
    });
  });
  return expect(freed).resolves.toBe(true);
});

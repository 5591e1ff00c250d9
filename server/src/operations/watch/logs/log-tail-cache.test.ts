import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cachingLogTails } from "#operations/watch/logs/log-tail-cache";

function logsInMemory() {
  const logs = new Map<string, Buffer>();
  const of = (id: string) => logs.get(id) ?? Buffer.alloc(0);
  const counted = { reads: 0 };
  const kept = cachingLogTails({
    async read(id, from, max) {
      counted.reads += 1;
      return of(id).subarray(from).subarray(0, max);
    },
    size: async (id) => of(id).length,
    remove: async (ids) => ids.forEach((id) => void logs.delete(id)),
  });
  const print = (id: string, text: string) => void logs.set(id, Buffer.concat([of(id), Buffer.from(text)]));
  return { kept, print, counted, of };
}

describe("the ends of logs that are kept", () => {
  test("are read once as long as nothing more is printed", async () => {
    const { kept, print, counted } = logsInMemory();
    print("Local/a", "one\ntwo\n");
    for (const from of [-4, -4, -3, -100, -100_000]) await kept.read("Local/a", from, -from);
    expect(counted.reads).toBe(1);
    print("Local/a", "three\n");
    expect(String(await kept.read("Local/a", -6, 6))).toBe("three\n");
    expect(counted.reads).toBe(2);
  });

  test("are removed with the job", async () => {
    const { kept, print } = logsInMemory();
    print("Local/a", "old\n");
    await kept.read("Local/a", -10, 10);
    await kept.remove(["Local/a"]);
    print("Local/a", "new\n");
    expect(String(await kept.read("Local/a", -10, 10))).toBe("new\n");
  });

  test("are kept for a limited number of jobs, and always match the log", async () => {
    const { kept, print, counted } = logsInMemory();
    for (let job = 0; job < 2001; job += 1) {
      print(`Local/${job}`, `${job}\n`);
      expect(String(await kept.read(`Local/${job}`, -10, 10))).toBe(`${job}\n`);
    }
    await kept.read("Local/2000", -10, 10);
    expect(counted.reads).toBe(2001);
    await kept.read("Local/0", -10, 10);
    expect(counted.reads).toBe(2002);
  });

  test("equal a direct read of the log for every request", async () => {
    const printed = fc.record({
      text: fc.string({ maxLength: 3000 }),
      from: fc.integer({ min: -6000, max: 6000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(printed, { maxLength: 8 }), fc.nat(6000), async (steps, max) => {
        const { kept, print, of } = logsInMemory();
        for (const { text, from } of steps) {
          print("Local/a", text);
          expect(await kept.read("Local/a", from, max)).toEqual(
            of("Local/a").subarray(from).subarray(0, max),
          );
        }
      }),
    );
  });
});

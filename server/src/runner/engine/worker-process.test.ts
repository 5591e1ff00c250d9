import { expect, test } from "vitest";
import { withFewDescriptors } from "#plumbing/descriptors-suite";

test("a process that cannot start for want of file descriptors fails the calls with the reason, and a later process answers", async () => {
  const code = `
    import { startEngineProcess } from "#runner/engine/worker-process";
    const module = new URL("data:text/javascript,export const engine = { version: 7 };");
    const limits = { maxMemoryMb: 100, maxCallMs: 10_000, maxReplyChars: 1000 };
    async function callOne() {
      const engine = startEngineProcess(module, limits);
      const outcome = await outcomeOf(engine.call({ number: 1, runId: "", ownerId: "" }, { name: "close" }));
      const isAlive = engine.isAlive();
      engine.end();
      return { ...outcome, isAlive };
    }
    takeDescriptors(2);
    const without = await callOne();
    giveBackDescriptors();
    print({ without, later: await callOne() });`;
  expect(await withFewDescriptors(code)).toEqual({
    without: { error: expect.stringContaining("EMFILE"), isAlive: false },
    later: { value: false, isAlive: true },
  });
});

test("a process ended during the start does not stay", async () => {
  const code = `
    import { readFileSync } from "node:fs";
    import { setTimeout } from "node:timers/promises";
    import { startEngineProcess } from "#runner/engine/worker-process";
    const module = new URL("data:text/javascript,export const engine = { version: 7 };");
    startEngineProcess(module, { maxMemoryMb: 100, maxCallMs: 10_000, maxReplyChars: 1000 }).end();
    const children = "/proc/" + process.pid + "/task/" + process.pid + "/children";
    while (readFileSync(children, "utf8") !== "") await setTimeout(20);
    print("ended");`;
  expect(await withFewDescriptors(code)).toBe("ended");
});

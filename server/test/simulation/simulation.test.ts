import { describe, expect, test } from "vitest";
import { idle, Timeline } from "./timeline.ts";
import { Life } from "./life.ts";
import { Worlds } from "./try-world.ts";

describe("a simulated world", () => {
  test("is equal in every trial, in a new database and in a used database", async () => {
    const [first, second]: string[][] = [[], []];
    const worlds = new Worlds();
    // A small world: it takes less time than most.
    await worlds.try(4735, { lines: first!, withDeeds: true });
    await worlds.try(4714);
    await worlds.try(4735, { lines: second!, withDeeds: true });
    expect(first!.length).toBeGreaterThan(1000);
    expect(second).toEqual(first);
  });

  test("has no server that continues after death", async () => {
    const timeline = new Timeline();
    const heard: string[] = [];
    const life = lifeOn(timeline);
    void life.act("query", async () => timeline.sleep(5)).then(() => heard.push("answer"));
    life.clock.after(5, () => heard.push("timer"));
    life.end();
    void life.act("query", async () => heard.push("deed"));
    while (await timeline.step());
    expect(heard).toEqual([]);
  });

  test("has servers that hear late of all news after a pause, in equal order", async () => {
    const timeline = new Timeline();
    const heard: string[] = [];
    const life = lifeOn(timeline);
    life.clock.after(5, () => heard.push(`timer at ${timeline.nowMs}`));
    life.pause(100);
    void life.act("query", async () => heard.push(`deed at ${timeline.nowMs}`));
    await idle();
    while (await timeline.step());
    expect(heard).toEqual(["deed at 100", "timer at 100"]);
  });
});

function lifeOn(timeline: Timeline): Life {
  return new Life(
    "a",
    timeline,
    () => {},
    () => 0,
  );
}

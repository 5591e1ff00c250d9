import { expect, test } from "vitest";
import { taskInSentence, taskLabel, taskWord } from "#engines/task-label";

function file(location: string) {
  return { class: "File", location };
}

const many = Array.from({ length: 40 }, (_, at) => `item ${at}`);

test.each([
  ["the name of a file", { sample: file("data/s07.txt") }, [{ sample: file("data/s01.txt") }], "s07.txt"],
  ["a path", { sample: "/w/data/s07.txt" }, [{ sample: "/w/data/s01.txt" }], "s07.txt"],
  ["the folder of equal names", { f: file("s07/raw.txt") }, [{ f: file("s01/raw.txt") }], "s07/raw.txt"],
  ["a word", { channel: "mu" }, [{ channel: "e" }], "mu"],
  ["a number with its name", { mass: 0.5 }, [{ mass: 1 }], "mass=0.5"],
  ["only what differs", { a: "x", b: 2 }, [{ a: "x", b: 1 }], "b=2"],
  ["each that differs", { a: "y", b: 2 }, [{ a: "x", b: 1 }], "y, b=2"],
  ["what differs from the last task", { a: "x", b: 1 }, [{ a: "x", b: 3 }], "b=1"],
  ["the first of a list", { chunk: ["b1", "b2"] }, [{ chunk: ["a1", "a2"] }], "b1 …"],
  ["a field of a record", { s: { id: "B", n: 1 } }, [{ s: { id: "A", n: 1 } }], "B"],
  ["the only task", { sample: "B" }, [], "B"],
  [
    "a long word, cut in the middle",
    { s: `${"x".repeat(60)}.07` },
    [{ s: "a" }],
    `${"x".repeat(15)}…${"x".repeat(13)}.07`,
  ],
  ["no control characters", { s: "a\u001b[31m\nb" }, [{ s: "c" }], "a�[31m�b"],
])("%s tells a task", (_what, values, others, value) => {
  expect(taskWord({ number: 7, values, others })).toBe(`task 7 (${value})`);
});

test.each([
  [
    "nothing that is short differs",
    { f: file("cwl/1/a/6/out/r.json") },
    [{ f: file("cwl/1/a/0/out/r.json") }],
  ],
  ["nothing differs", { n: 1 }, [{ n: 1 }]],
  ["there is no value", { n: null }, [{ n: 1 }]],
])("the number stands alone if %s", (_what, values, others) => {
  expect(taskWord({ number: 7, values, others })).toBe("task 7");
});

test("many values are cut", () => {
  const values = Object.fromEntries(many.map((name) => [name, `value of ${name} that is long`]));
  expect(taskWord({ number: 1, values, others: [] }).length).toBeLessThanOrEqual(70);
});

test("a label and a sentence name the tasks from the outside in", () => {
  expect(taskLabel("fit", ["task 2 (B)", "task 7"])).toBe("fit · task 2 (B) · task 7");
  expect(taskInSentence("fit", ["task 2 (B)", "task 7"])).toBe('Step "fit", task 2 (B), task 7');
  expect(taskLabel("fit", [])).toBe("fit");
});

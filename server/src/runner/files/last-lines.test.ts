import { expect, test } from "vitest";
import type { Backends } from "#backends/backends";
import { Refusal } from "#plumbing/errors";
import type { ReportedEnd } from "#runner/turn/arrivals";
import { lastLinesOf } from "#runner/files/last-lines";
import type { Run } from "#store/runs/runs";

const numbered = (what: string, most: number) =>
  Array.from({ length: most }, (_, index) => `${what} ${index + 1}`);

/** Returns the lines of a job that prints `printed`, and whose rule names the files of `written`. */
function linesOf(printed: readonly string[], written: Readonly<Record<string, readonly string[] | null>>) {
  const readLog = async () => Buffer.from(printed.map((line) => `${line}\n`).join(""));
  const readEnd = async (name: string) => {
    const lines = written[name];
    if (!lines) throw new Refusal("absent", `There is no file ${name}.`);
    return Buffer.from(lines.join("\n"));
  };
  const backends = { named: () => ({ readLog }) } as unknown as Backends;
  const reported = {
    backend: "local",
    id: "1",
    job: { logFiles: Object.keys(written) },
  } as unknown as ReportedEnd;
  return lastLinesOf({ backends, files: { readEnd } }, {} as Run, reported);
}

test("the ends of a job's own files follow the job's output", async () => {
  expect(
    await linesOf(["printed"], { "a.log": ["one", "two"], "absent.log": null, "empty.log": [] }),
  ).toEqual(["printed", "The end of a.log:", "one", "two"]);
  expect(await linesOf([], {})).toEqual([]);
});

test("no more than 20 lines are kept, 15 of them from own files", async () => {
  const lines = await linesOf(numbered("printed", 30), {
    "a.log": numbered("a", 30),
    "b.log": numbered("b", 30),
  });
  expect(lines).toEqual([
    ...numbered("printed", 30).slice(-5),
    "The end of a.log:",
    ...numbered("a", 30).slice(-14),
  ]);
});

import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { statusLine, watchStatus } from "#cli/runs/watch/watch-status";

function group(total: number) {
  return { total, job_ids: [] };
}

const progress = {
  total: group(10),
  finished: group(6),
  failed: group(0),
  current_label: "fit · task 7 (s07.txt)",
};

test.each([
  [{ status: "running" }, "fit.1 is running, jobs 6/10: fit · task 7 (s07.txt)"],
  [
    { status: "running", waiting_for: "A job needs cores." },
    "fit.1 is running, jobs 6/10; waiting: A job needs cores.",
  ],
  [
    { status: "running", pace: { jobs: 8, over_ms: 120_000 } },
    "fit.1 is running, jobs 6/10, 4 jobs a minute, about 1 min 0 s left: fit · task 7 (s07.txt)",
  ],
  [{ status: "queued" }, "fit.1 is queued, jobs 6/10"],
  [{ status: "finished" }, "fit.1 finished, jobs 6/10"],
] as const)("a run with %j is shown as %s", (fields, line) => {
  expect(statusLine({ name: "fit.1", progress, ...fields })).toBe(line);
});

test.each([[false], [true]])("a pace that alone changes prints no line (JSON: %j)", async (asJson) => {
  const running = (over_ms: number, finished: number) => ({
    name: "fit.1",
    status: "running",
    pace: { jobs: 8, over_ms },
    progress: { ...progress, finished: group(finished) },
  });
  const replies = [
    running(1000, 6),
    running(1500, 6),
    running(2000, 7),
    { ...running(2500, 10), status: "finished" },
  ];
  const printed: string[] = [];
  const cli = {
    print: (line: string) => printed.push(line),
    clock: { after: (_: number, then: () => void) => then() },
  };
  const client = { GET: async () => ({ data: replies.shift() }) };
  expect(await watchStatus(cli as never, client as never, { run: "fit", asJson })).toBe(0);
  expect(printed).toHaveLength(3);
});

test("a terminal shows one line that is redrawn, and the end below it", async () => {
  const states = [
    { status: "queued", progress: { ...progress, finished: group(0) } },
    { status: "running", progress },
    { status: "finished", progress: { ...progress, finished: group(10) } },
  ];
  const [printed, written]: [string[], string[]] = [[], []];
  const cli = {
    isTerminal: true,
    screen: { columns: () => 40, write: (part: string) => written.push(part) },
    print: (line: string) => printed.push(line),
    clock: {
      elapsedMs: () => 0,
      after: (ms: number, then: () => void) => (ms === 500 ? then() : () => undefined),
    },
  };
  const client = { GET: async () => ({ data: { name: "fit.1", ...states.shift() } }) };
  expect(await watchStatus(cli as never, client as never, { run: "fit", asJson: false })).toBe(0);
  expect(printed).toEqual(["fit.1 finished, jobs 10/10"]);
  const lines = written.map((part) => stripVTControlCharacters(part).replace("\r", ""));
  expect(lines).toEqual(["fit.1 is queued, jobs 0/10", "fit.1 is running, jobs 6/10: fit · tas…", ""]);
});

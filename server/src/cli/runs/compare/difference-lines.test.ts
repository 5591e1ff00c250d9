import { expect, test } from "vitest";
import { type Comparison, differenceLines } from "#cli/runs/compare/difference-lines";

const run = (name: string, status: Comparison["a"]["status"]): Comparison["a"] => {
  return { id: "", name, status, wall_ms: 12_000, cpu_ms: 600 };
};
const totals: NonNullable<Comparison["steps"][number]["a"]> = {
  jobs: 2,
  taken_over: 0,
  status: "finished",
  exit_code: 0,
  reason: "exited",
  wall_ms: 1500,
  cpu_ms: 300,
  peak_bytes: null,
};
const equal: Comparison = {
  a: run("fit.1", "finished"),
  b: run("fit.2", "failed"),
  specification: [],
  parameters: [],
  steps: [],
  files: { added: 0, removed: 0, changed: 0, unreadable: 0, same: 4, is_cut: false, differences: [] },
  files_missing: null,
  files_basis: "workspace",
  notes: [],
};
const HEAD = [
  "RUN    STATUS    DURATION  CPU TIME",
  "fit.1  finished  12 s      0.6 s",
  "fit.2  failed    12 s      0.6 s",
];

test("equal parts are reported in one line", () => {
  expect(differenceLines(equal)).toEqual([...HEAD, "", "Files: 0 added, 0 removed, 0 changed, 4 equal."]);
});

test("says why the files were not compared", () => {
  const lines = differenceLines({ ...equal, files: null, files_missing: "Workspace does not exist." });
  expect(lines.at(-1)).toBe("The files were not compared: Workspace does not exist.");
});

test("says which results a later run replaced, and that the records were compared", () => {
  const notes = ["fit.1's results were replaced by fit.1.1: out.txt."];
  expect(differenceLines({ ...equal, files_basis: "recorded", notes }).slice(HEAD.length)).toEqual([
    "",
    notes[0],
    "Compared the declared outputs by the checksums recorded when each run ended.",
    "Files: 0 added, 0 removed, 0 changed, 4 equal.",
  ]);
});

test("if no step has measured memory, there is no column for it", () => {
  const lines = differenceLines({ ...equal, steps: [{ step: "make", a: totals, b: totals }] });
  expect(lines.slice(HEAD.length + 1)).toEqual([
    "STEP  RUN    JOBS  STATUS    EXIT  DURATION  CPU TIME",
    "make  fit.1  2     finished  0     1.5 s     0.3 s",
    "      fit.2  2     finished  0     1.5 s     0.3 s",
    "",
    "Files: 0 added, 0 removed, 0 changed, 4 equal.",
  ]);
});

test("each kind of difference has its own table", () => {
  const failed = { ...totals, jobs: 3, taken_over: 1, status: "failed", exit_code: 3, cpu_ms: null } as const;
  const late = {
    ...totals,
    status: "failed",
    exit_code: null,
    reason: "time-limit",
    peak_bytes: 2048,
  } as const;
  const lines = differenceLines({
    ...equal,
    specification: [
      { path: "workflow.steps[0]", a: "one\u001b[2J", b: { commands: ["two"] } },
      { path: "inputs", a: null, b: 1 },
    ],
    parameters: [{ path: "n", a: 1, b: "many" }],
    steps: [
      { step: "make", a: totals, b: failed },
      { step: "plot", a: null, b: late },
    ],
    files: {
      ...equal.files!,
      added: 1,
      changed: 1,
      unreadable: 1,
      is_cut: true,
      differences: [
        { name: "new", change: "added", a: null, b: { type: "folder", bytes: 0 }, diff: null },
        {
          name: "out/fit.txt",
          change: "changed",
          a: { type: "file", bytes: 10 },
          b: { type: "file", bytes: 2048 },
          diff: "@@ -1 +1 @@\n-a\tb\u001b[2J\n+c\n",
        },
      ],
    },
  });
  expect(lines).toEqual([
    ...HEAD,
    "",
    "SPECIFICATION",
    "workflow.steps[0]",
    "- one\ufffd[2J",
    '+ {"commands":["two"]}',
    "inputs",
    "+ 1",
    "",
    "PARAMETER  fit.1  fit.2",
    "n          1      many",
    "",
    "STEP  RUN    JOBS          STATUS               EXIT  DURATION  CPU TIME  MEMORY",
    "make  fit.1  2             finished             0     1.5 s     0.3 s     -",
    "      fit.2  3 (1 reused)  failed               3     1.5 s     -         -",
    "plot  fit.1  -             -                    -     -         -         -",
    "      fit.2  2             failed (time-limit)  -     1.5 s     0.3 s     2 KiB",
    "",
    "CHANGE   fit.1   fit.2  FILE",
    "added        -  folder  new",
    "changed   10 B   2 KiB  out/fit.txt",
    "These are the first 2 differences.",
    "Files: 1 added, 0 removed, 1 changed, 4 equal, 1 that cannot be read.",
    "",
    "--- fit.1/out/fit.txt",
    "+++ fit.2/out/fit.txt",
    "@@ -1 +1 @@",
    "-a\tb\ufffd[2J",
    "+c",
  ]);
});

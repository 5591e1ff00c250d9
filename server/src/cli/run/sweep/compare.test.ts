import { expect, test } from "vitest";
import { type Compared, comparison } from "#cli/run/sweep/compare";

function compared(combination: string[], contents: Readonly<Record<string, string>>): Compared {
  const outputs = Object.entries(contents).map(([name, sha256]) => ({ name, bytes: 1536, sha256 }));
  return {
    runName: `fit.${combination[0]!.slice(2)}`,
    combination,
    status: "finished",
    tookMs: 1250,
    absent: [],
    outputs,
  };
}

test("a sweep is compared in a table in which equal outputs have equal letters", () => {
  const failed: Compared = { ...compared(["x=3"], {}), status: "failed", tookMs: 61_000 };
  expect(
    comparison([
      compared(["x=1"], { "plot.png": "A", "fit.txt": "B" }),
      compared(["x=20"], { "plot.png": "C", "fit.txt": "B" }),
      failed,
    ]),
  ).toEqual([
    "RUN     x   STATUS    DURATION   fit.txt    plot.png",
    "fit.1   1   finished  1.3 s      1.5 KiB a  1.5 KiB a",
    "fit.20  20  finished  1.3 s      1.5 KiB a  1.5 KiB b",
    "fit.3   3   failed    1 min 1 s  -          -",
    "Within a column, the same letter means the same content.",
  ]);
});

test("very many outputs are compared as one", () => {
  const many = (last: string) => ({ a: "1", b: "2", c: "3", d: "4", e: last });
  const rows = comparison([
    compared(["x=1"], many("5")),
    compared(["x=2"], many("6")),
    compared(["x=3"], many("5")),
  ]);
  expect(rows.slice(0, 4)).toEqual([
    "RUN    x  STATUS    DURATION  OUTPUTS (5 FILES)",
    "fit.1  1  finished  1.3 s     7.5 KiB a",
    "fit.2  2  finished  1.3 s     7.5 KiB b",
    "fit.3  3  finished  1.3 s     7.5 KiB a",
  ]);
});

test("without outputs the table has no column for them", () => {
  expect(comparison([compared(["x=1"], {})])).toEqual([
    "RUN    x  STATUS    DURATION",
    "fit.1  1  finished  1.3 s",
  ]);
});

import { expect, test } from "vitest";
import type { Run } from "../../api/asks.ts";
import { outputColumns } from "./output-columns.ts";

const output = (name: string, sha256: string, more: object = {}) => ({
  name,
  sha256,
  bytes: 2048,
  is_current: true,
  ...more,
});
const run = (...outputs: readonly object[]) => ({ outputs }) as unknown as Run;
const shown = (runs: readonly Run[]) =>
  outputColumns(runs).map(({ title, cellOf, hasLetters }) => ({
    title,
    hasLetters,
    cells: runs.map(cellOf),
  }));

test("a short text and a picture are shown, other contents have a letter", () => {
  const runs = [
    run(output("fit.txt", "1", { text: "91.2" }), output("plot.svg", "2"), output("x.root", "3")),
    run(output("plot.svg", "4", { is_current: false }), output("x.root", "3")),
    run(),
  ];
  expect(shown(runs)).toEqual([
    { title: "fit.txt", hasLetters: false, cells: [{ text: "91.2" }, undefined, undefined] },
    {
      title: "plot.svg",
      hasLetters: true,
      cells: [{ text: "2.0 KiB", picture: "plot.svg" }, { text: "2.0 KiB a" }, undefined],
    },
    { title: "x.root", hasLetters: true, cells: [{ text: "2.0 KiB a" }, { text: "2.0 KiB a" }, undefined] },
  ]);
});

test("more outputs than columns are shown together", () => {
  const many = ["a", "b", "c", "d", "e"].map((name) => output(name, name));
  expect(shown([run(...many), run(...many), run()])).toEqual([
    {
      title: "Outputs (5 files)",
      hasLetters: true,
      cells: [{ text: "10.0 KiB a" }, { text: "10.0 KiB a" }, undefined],
    },
  ]);
});

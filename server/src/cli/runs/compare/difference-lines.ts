import type { operations } from "reprise-sdk";
import { inColumns } from "#cli/terminal/columns";
import { duration } from "#plumbing/text/duration";
import { shortSize } from "#plumbing/text/human-size";
import { printable } from "#plumbing/text/printable";

export type Comparison = operations["compare-runs"]["responses"][200]["content"]["application/json"];
type Step = Comparison["steps"][number];
type StepTotals = NonNullable<Step["a"]>;
type Files = NonNullable<Comparison["files"]>;
type FileDifference = Files["differences"][number];

/** Length at which a value or a line is truncated: more would be unreadable. */
const SHOWN_MAX = 1000;
const NOTHING = "-";

/** Formats a comparison as tables, separated by empty lines. Sections without differences are left out. */
export function differenceLines(comparison: Comparison): string[] {
  const { specification, parameters, steps, files } = comparison;
  const sections = [
    runTable(comparison),
    ...(specification.length > 0 ? [specificationLines(specification)] : []),
    ...(parameters.length > 0 ? [parameterTable(comparison)] : []),
    ...(steps.length > 0 ? [stepTable(comparison)] : []),
    fileLines(comparison),
    ...(files ? textLines(comparison, files) : []),
  ];
  return sections.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

function runTable({ a, b }: Comparison): string[] {
  const rows = [a, b].map((run) => [run.name, run.status, took(run.wall_ms), took(run.cpu_ms)]);
  return inColumns([["RUN", "STATUS", "DURATION", "CPU TIME"], ...rows]);
}

function took(ms: number | null): string {
  return ms === null ? NOTHING : duration(ms);
}

function specificationLines(differences: Comparison["specification"]): string[] {
  return [
    "SPECIFICATION",
    ...differences.flatMap(({ path, a, b }) => [
      printable(path, SHOWN_MAX),
      ...(a === null ? [] : [`- ${valueText(a)}`]),
      ...(b === null ? [] : [`+ ${valueText(b)}`]),
    ]),
  ];
}

function parameterTable({ a, b, parameters }: Comparison): string[] {
  const rows = parameters.map((one) => [printable(one.path, SHOWN_MAX), valueText(one.a), valueText(one.b)]);
  return inColumns([["PARAMETER", a.name, b.name], ...rows]);
}

function valueText(value: unknown): string {
  if (value === null) return NOTHING;
  return printable(typeof value === "string" ? value : JSON.stringify(value), SHOWN_MAX);
}

/** Formats two rows for each step, one per run. */
function stepTable({ a, b, steps }: Comparison): string[] {
  const rows = steps.flatMap((one) => [
    [printable(one.step, SHOWN_MAX), a.name, ...stepCells(one.a)],
    ["", b.name, ...stepCells(one.b)],
  ]);
  const table = [["STEP", "RUN", "JOBS", "STATUS", "EXIT", "DURATION", "CPU TIME", "MEMORY"], ...rows];
  const hasMemory = steps.some((one) => (one.a?.peak_bytes ?? one.b?.peak_bytes ?? null) !== null);
  return inColumns(hasMemory ? table : table.map((row) => row.slice(0, -1)));
}

function stepCells(step: StepTotals | null): string[] {
  if (step === null) return Array.from({ length: 6 }, () => NOTHING);
  const isPlain = step.reason === null || step.reason === "exited";
  return [
    step.taken_over > 0 ? `${step.jobs} (${step.taken_over} reused)` : String(step.jobs),
    isPlain || step.taken_over > 0 ? step.status : `${step.status} (${step.reason})`,
    step.exit_code === null ? NOTHING : String(step.exit_code),
    took(step.wall_ms),
    took(step.cpu_ms),
    step.peak_bytes === null ? NOTHING : shortSize(step.peak_bytes),
  ];
}

function fileLines(comparison: Comparison): string[] {
  const { files, files_missing: why, files_basis: basis, notes } = comparison;
  if (!files) return [...notes, `The files were not compared: ${why}`];
  const recorded = ["Compared the declared outputs by the checksums recorded when each run ended."];
  return [...notes, ...(basis === "recorded" ? recorded : []), ...changeLines(comparison, files)];
}

function changeLines({ a, b }: Comparison, files: Files): string[] {
  const { added, removed, changed, same, unreadable } = files;
  const counts = `${added} added, ${removed} removed, ${changed} changed, ${same} equal`;
  const sum = `Files: ${counts}${unreadable > 0 ? `, ${unreadable} that cannot be read` : ""}.`;
  if (files.differences.length === 0) return [sum];
  const rows = files.differences.map((one) => [one.change, sizeText(one.a), sizeText(one.b), nameText(one)]);
  const table = inColumns([["CHANGE", a.name, b.name, "FILE"], ...rows], { right: [1, 2] });
  const cut = files.is_cut ? [`These are the first ${files.differences.length} differences.`] : [];
  return [...table, ...cut, sum];
}

function sizeText(side: FileDifference["a"]): string {
  if (side === null) return NOTHING;
  return side.type === "file" ? shortSize(side.bytes) : side.type;
}

function nameText({ name }: FileDifference): string {
  return printable(name, SHOWN_MAX);
}

/** Returns a section for each differing text file, in a format that `patch` understands. */
function textLines({ a, b }: Comparison, { differences }: Files): string[][] {
  return differences
    .filter((file) => file.diff !== null)
    .map((file) => [
      `--- ${a.name}/${nameText(file)}`,
      `+++ ${b.name}/${nameText(file)}`,
      ...file.diff!.replace(/\n$/, "").split("\n").map(lineText),
    ]);
}

/** Escapes a line of a file: control characters written by a job must not move the reader's cursor. */
function lineText(line: string): string {
  return line
    .split("\t")
    .map((part) => printable(part, SHOWN_MAX))
    .join("\t");
}

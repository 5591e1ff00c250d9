import Type, { type Static } from "typebox";
import { JobReasonWord, JobStatusWord, PEAK_BYTES } from "#api/watch/job-record";
import { nullable, oneOf } from "#api/http/document/schemas";
import { RunStatusWord } from "#api/http/reply/workflow-records";
import {
  FILE_CHANGES,
  FILES_BASES,
  type FileDifference,
  type JsonDifference,
  type RunsComparison,
  type RunSummary,
  type StepTotals,
  type WorkspaceComparison,
} from "#operations/runs/comparison/compare-runs";
import { fullNameOf } from "#operations/full-name";

/** Records of a comparison of two runs, `a` and `b`. */

/** Query parameters of both endpoints. */
export const COMPARISON_QUERY = {
  brief: Type.Optional(
    Type.Boolean({ description: "Lists only the differing files, without the changed lines." }),
  ),
  context_lines: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: "The number of equal lines around each change; default 5.",
    }),
  ),
};

const CONTEXT_LINES_USUAL = 5;

export function contextLinesOf(query: {
  readonly brief?: boolean;
  readonly context_lines?: number;
}): number | "none" {
  return query.brief ? "none" : (query.context_lines ?? CONTEXT_LINES_USUAL);
}

/** Maximum number of items in each list. */
const ITEMS_MAX = 1000;

const ComparedRunRecord = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    name: Type.String({ description: "With the run number: `fit.3`." }),
    status: RunStatusWord,
    wall_ms: nullable(Type.Integer({ description: "Duration from start to end, or to now." })),
    cpu_ms: Type.Integer({ description: "Processor time of the jobs that have ended, as far as known." }),
  },
  { title: "ComparedRun" },
);

const ValueDifference = Type.Object(
  {
    path: Type.String({ description: "Path of the value: `workflow.specification.steps[0].commands[1]`." }),
    a: Type.Unknown({ description: "Null if absent." }),
    b: Type.Unknown(),
  },
  { title: "ValueDifference" },
);

const StepTotalsRecord = Type.Object(
  {
    jobs: Type.Integer({ description: "Retries of a job are not counted." }),
    taken_over: Type.Integer({
      description: "The number of jobs whose results were reused from an earlier run of the workspace.",
    }),
    status: JobStatusWord,
    exit_code: nullable(
      Type.Integer({ description: "Exit code of the last attempt of the job that determines the status." }),
    ),
    reason: JobReasonWord,
    wall_ms: nullable(Type.Integer({ description: "From the first start to the last end." })),
    cpu_ms: nullable(Type.Integer({ description: "Of all attempts; null if unknown." })),
    peak_bytes: nullable(Type.Integer({ description: `The largest of its jobs. ${PEAK_BYTES}` })),
  },
  { title: "StepTotals" },
);

const FileSideRecord = Type.Object(
  {
    type: oneOf(["file", "link", "folder"] as const),
    bytes: Type.Integer({ description: "0 for a folder." }),
  },
  { title: "FileSide" },
);

const FileDifferenceRecord = Type.Object(
  {
    name: Type.String(),
    change: oneOf(FILE_CHANGES, {
      description: "`unreadable`: it could not be read, or is too large for a recorded checksum.",
    }),
    a: nullable(FileSideRecord),
    b: nullable(FileSideRecord),
    diff: nullable(
      Type.String({
        description:
          "The changed lines of a text file, as `diff -u` shows them, without the names. Null for other " +
          "files, for files larger than 512 KiB, and after a million characters of changes.",
      }),
    ),
  },
  { title: "FileDifference" },
);

const FilesRecord = Type.Object(
  {
    added: Type.Integer({ description: "Files and links that only `b` has; folders are not counted." }),
    removed: Type.Integer(),
    changed: Type.Integer(),
    unreadable: Type.Integer(),
    same: Type.Integer({ description: "Files with identical content." }),
    differences: Type.Array(FileDifferenceRecord),
    is_cut: Type.Boolean({ description: "True if some differences are not listed." }),
  },
  { title: "FilesComparison" },
);

export const ComparisonRecord = Type.Object(
  {
    a: ComparedRunRecord,
    b: ComparedRunRecord,
    specification: Type.Array(ValueDifference, {
      description:
        `Differences between the specifications, and between the options of the starts; the first ${ITEMS_MAX} ` +
        "places.",
    }),
    parameters: Type.Array(ValueDifference, {
      description: `Differences between the parameters that the runs were started with; the first ${ITEMS_MAX}.`,
    }),
    steps: Type.Array(
      Type.Object(
        { step: Type.String(), a: nullable(StepTotalsRecord), b: nullable(StepTotalsRecord) },
        { title: "StepComparison" },
      ),
      { description: `All steps that have jobs in at least one of the runs; the first ${ITEMS_MAX}.` },
    ),
    files: nullable(FilesRecord),
    files_basis: oneOf(FILES_BASES, {
      description:
        "`workspace`: the files as they are now. `recorded`: the declared outputs as each run left them, by checksum, " +
        "because the runs share a workspace or a later run replaced files.",
    }),
    notes: Type.Array(
      Type.String({ description: "A sentence for each run whose results a later run replaced." }),
    ),
    files_missing: nullable(Type.String({ description: "Why the files were not compared." })),
  },
  { title: "Comparison" },
);

type Comparison = Static<typeof ComparisonRecord>;

export function comparisonRecord(comparison: RunsComparison): Comparison {
  const { a, b, specification, parameters, steps } = comparison;
  const { files, basis, notes } = comparison.files;
  return {
    a: runRecord(a),
    b: runRecord(b),
    specification: specification.slice(0, ITEMS_MAX).map(valueRecord),
    parameters: parameters.slice(0, ITEMS_MAX).map(valueRecord),
    steps: steps.slice(0, ITEMS_MAX).map((pair) => ({
      step: pair.step,
      a: pair.a ? stepRecord(pair.a) : null,
      b: pair.b ? stepRecord(pair.b) : null,
    })),
    files: typeof files === "string" ? null : filesRecord(files),
    files_basis: basis,
    notes: [...notes],
    files_missing: typeof files === "string" ? files : null,
  };
}

function runRecord({ run, wallMs }: RunSummary): Comparison["a"] {
  return {
    id: run.id,
    name: fullNameOf(run),
    status: run.status,
    wall_ms: wallMs ?? null,
    cpu_ms: run.cpuMs,
  };
}

function valueRecord({ path, a, b }: JsonDifference): Comparison["parameters"][number] {
  return { path, a: a ?? null, b: b ?? null };
}

function stepRecord(totals: StepTotals): Static<typeof StepTotalsRecord> {
  return {
    jobs: totals.jobs,
    taken_over: totals.takenOver,
    status: totals.status,
    exit_code: totals.exitCode,
    reason: totals.reason,
    wall_ms: totals.wallMs,
    cpu_ms: totals.cpuMs,
    peak_bytes: totals.peakBytes,
  };
}

function filesRecord({ counts, differences, isCut }: WorkspaceComparison): Static<typeof FilesRecord> {
  return { ...counts, differences: differences.map(fileRecord), is_cut: isCut };
}

function fileRecord({ name, change, a, b, diff }: FileDifference): Static<typeof FileDifferenceRecord> {
  const side = (one: FileDifference["a"]) => one && { type: one.kind, bytes: one.bytes };
  return { name, change, a: side(a), b: side(b), diff };
}

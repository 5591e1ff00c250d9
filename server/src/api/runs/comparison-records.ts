import Type, { type Static } from "typebox";
import { JobReasonWord, JobStatusWord, PEAK_BYTES } from "#api/watch/job-record";
import { nullable, oneOf } from "#api/http/schemas";
import { RunStatusWord } from "#api/http/workflow-records";
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
  brief: Type.Optional(Type.Boolean({ description: "Which files differ, and not how." })),
  context_lines: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: "How many equal lines are shown around each change: 5 if it is not said.",
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
    wall_ms: nullable(Type.Integer({ description: "From its beginning to its end, or to now." })),
    cpu_ms: Type.Integer({ description: "Processor time of the jobs that have ended, as far as is known." }),
  },
  { title: "ComparedRun" },
);

const ValueDifference = Type.Object(
  {
    path: Type.String({ description: "`workflow.specification.steps[0].commands[1]`." }),
    a: Type.Unknown({ description: "Null where there is nothing." }),
    b: Type.Unknown(),
  },
  { title: "ValueDifference" },
);

const StepTotalsRecord = Type.Object(
  {
    jobs: Type.Integer({ description: "Another attempt is no other job." }),
    taken_over: Type.Integer({ description: "How many of them an earlier run of the workspace has done." }),
    status: JobStatusWord,
    exit_code: nullable(
      Type.Integer({ description: "Of the job that the status comes from, in its last attempt." }),
    ),
    reason: JobReasonWord,
    wall_ms: nullable(Type.Integer({ description: "From the first start to the last end." })),
    cpu_ms: nullable(Type.Integer({ description: "Of all attempts; null when unknown." })),
    peak_bytes: nullable(Type.Integer({ description: `The largest of its jobs. ${PEAK_BYTES}` })),
  },
  { title: "StepTotals" },
);

const FileSideRecord = Type.Object(
  {
    type: oneOf(["file", "link", "folder"] as const),
    bytes: Type.Integer({ description: "0 of a folder." }),
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
          "How the lines of a text differ, as `diff -u` shows it, without the names; null for what is no text or larger " +
          "than 512 KiB, and when a million characters were told.",
      }),
    ),
  },
  { title: "FileDifference" },
);

const FilesRecord = Type.Object(
  {
    added: Type.Integer({ description: "Files and links that `b` alone has; folders are not counted." }),
    removed: Type.Integer(),
    changed: Type.Integer(),
    unreadable: Type.Integer(),
    same: Type.Integer({ description: "Equal to the last byte." }),
    differences: Type.Array(FileDifferenceRecord),
    is_cut: Type.Boolean({ description: "There are more differences than are told here." }),
  },
  { title: "FilesComparison" },
);

export const ComparisonRecord = Type.Object(
  {
    a: ComparedRunRecord,
    b: ComparedRunRecord,
    specification: Type.Array(ValueDifference, {
      description: `Where the specifications differ, and the options of the starts; the first ${ITEMS_MAX} places.`,
    }),
    parameters: Type.Array(ValueDifference, {
      description: `The parameters that the runs were started with, where they differ; the first ${ITEMS_MAX}.`,
    }),
    steps: Type.Array(
      Type.Object(
        { step: Type.String(), a: nullable(StepTotalsRecord), b: nullable(StepTotalsRecord) },
        { title: "StepComparison" },
      ),
      { description: `All steps that have jobs in one of the runs; the first ${ITEMS_MAX}.` },
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
    files_missing: nullable(Type.String({ description: "Why there is nothing about the files." })),
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

function runRecord({ workflow, wallMs }: RunSummary): Comparison["a"] {
  return {
    id: workflow.id,
    name: fullNameOf(workflow),
    status: workflow.status,
    wall_ms: wallMs ?? null,
    cpu_ms: workflow.cpuMs,
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

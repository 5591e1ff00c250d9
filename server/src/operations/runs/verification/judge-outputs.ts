import type { RunServices } from "#operations/runs/services";
import type { Rule } from "#plumbing/equivalence/equivalence";
import type { Run } from "#store/runs/runs";
import type { ResultFile, Results } from "#workflow/run/results";
import type { FilePair, PairVerdict } from "#workspace/equivalence/file-pair";

/** Verdicts about one output, the heaviest first. */
export const OUTPUT_VERDICTS = ["different", "unknown", "equivalent", "identical"] as const;
export type OutputVerdict = (typeof OUTPUT_VERDICTS)[number];

/** An output of a run, compared with the output of a repetition. */
export interface JudgedOutput {
  readonly path: string;
  readonly verdict: OutputVerdict;
  /** The rule of an equivalence. */
  readonly rule: Rule | null;
  /** Largest relative difference of two numbers of equivalent files. */
  readonly difference: number | null;
  /** A sentence about files that could not be compared as others are. */
  readonly note: string | null;
  readonly sha256: string | null;
  readonly repeatedSha256: string | null;
}

/** Two runs and the recorded results. */
export interface ComparedResults {
  readonly verified: Run;
  readonly repetition: Run;
  readonly results: Results;
  readonly repeatedResults: Results;
  readonly tolerance: number;
}

/** Limits on the files that are read for a verdict. Others are compared by their checksums. */
const READ_MAX = { files: 1000, bytes: 2 ** 30 };

type JudgeContext = Pick<RunServices, "workspaces">;

/** Compares every recorded output of two runs by content. */
export async function judgeOutputs(
  context: JudgeContext,
  compared: ComparedResults,
  signal: AbortSignal,
): Promise<JudgedOutput[]> {
  const { results, repeatedResults } = compared;
  const repeated = new Map(repeatedResults.files.map((file) => [file.path, file]));
  const known = new Set(results.files.map(({ path }) => path));
  const added = repeatedResults.files.filter(({ path }) => !known.has(path));
  const pairs = results.files.map((file) => ({ file, other: repeated.get(file.path) }));
  const unequal = pairs.flatMap(({ file, other }) =>
    other && !isEqual(file, other) ? [{ file, other }] : [],
  );
  const read = affordable(unequal.map(({ file, other }) => ({ path: file.path, a: file, b: other })));
  const verdicts = await judgeRead(context, compared, read, signal);
  const judged = pairs.map(({ file, other }) => judgedPair(file, other, verdicts.get(file.path)));
  return [...judged, ...added.map(onlyRepeated)];
}

function isEqual(one: ResultFile, other: ResultFile): boolean {
  return one.sha256 !== null && one.sha256 === other.sha256;
}

function affordable(pairs: readonly FilePair[]): FilePair[] {
  let left = READ_MAX.bytes;
  const bytesOf = ({ a, b }: FilePair) => a.bytes + b.bytes;
  return pairs
    .toSorted((one, other) => bytesOf(one) - bytesOf(other))
    .slice(0, READ_MAX.files)
    .filter((pair) => (left -= bytesOf(pair)) >= 0);
}

async function judgeRead(
  { workspaces }: JudgeContext,
  { verified, repetition, tolerance }: ComparedResults,
  pairs: readonly FilePair[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, PairVerdict>> {
  const request = { a: verified, b: repetition, pairs, tolerance };
  const verdicts = await workspaces.judge(request, signal);
  return new Map(pairs.map(({ path }, index) => [path, verdicts[index]!]));
}

const PLAIN = { rule: null, difference: null, note: null };

function judgedPair(
  file: ResultFile,
  other: ResultFile | undefined,
  read: PairVerdict | undefined,
): JudgedOutput {
  const known = { path: file.path, sha256: file.sha256, repeatedSha256: other?.sha256 ?? null, ...PLAIN };
  if (!other) return { ...known, verdict: "different", note: "The repetition did not make the file." };
  if (isEqual(file, other)) return { ...known, verdict: "identical" };
  const haveSums = file.sha256 !== null && other.sha256 !== null;
  if (!read) return { ...known, verdict: haveSums ? "different" : "unknown", note: TOO_MUCH };
  if (read.kind === "identical") return { ...known, verdict: "identical" };
  if (read.kind === "equivalent") {
    const { rule, difference } = read;
    return { ...known, verdict: "equivalent", rule, difference };
  }
  if (read.kind === "different") {
    return { ...known, verdict: "different", note: read.isTooLarge ? TOO_LARGE : null };
  }
  const note = read.side === "a" ? REPLACED : REPLACED_IN_REPETITION;
  return { ...known, verdict: haveSums ? "different" : "unknown", note };
}

const TOO_LARGE = "No rule of equivalence was tried, because the file is too large.";
const TOO_MUCH = "No rule of equivalence was tried, because there are too many or too large differences.";
const REPLACED =
  "No rule of equivalence was tried, because the original file is a link, cannot be read, or was replaced or removed after the run.";
const REPLACED_IN_REPETITION =
  "No rule of equivalence was tried, because the repeated file is a link, cannot be read, or was replaced or removed after the run.";

function onlyRepeated({ path, sha256 }: ResultFile): JudgedOutput {
  const note = "Only the repetition made the file.";
  return { path, verdict: "different", ...PLAIN, note, sha256: null, repeatedSha256: sha256 };
}

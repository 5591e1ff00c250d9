import { holdsSecret, type KnownFile } from "#operations/reports/crate/packed-files";
import { METADATA, PREVIEW } from "#operations/reports/crate/run-entities";
import { type Redact, redacted } from "#operations/reports/redaction";
import type { RunAccount } from "#operations/reports/run-account";
import { recordedInputs } from "#operations/watch/origin/recorded-files";
import type { Mask } from "#plumbing/secrets/mask";
import { namedBy } from "#plumbing/text/named-by";
import type { Connection } from "#store/database/database";
import { declaredPaths, pathsIn } from "#workflow/specification/declared-paths";
import type { OpenFile } from "#workspace/read/open-file";
import { changedMsOfStamp } from "#workspace/read/stamps";
import type { Workspaces } from "#workspace/workspaces";

export const SPECIFICATION = "reana.yaml";

/** Names that the crate's own files have. Such a file of the workspace is named, and not packed. */
const OWN_NAMES = new Set([METADATA, PREVIEW, SPECIFICATION]);

/** A file of the workspace that belongs into the crate. */
export interface CrateFile {
  readonly file: OpenFile;
  /** True for an input of the run, and for a file of its workflow. */
  readonly isGiven: boolean;
  /** Why the crate must not hold the content. */
  readonly reason: string | undefined;
}

interface Choice {
  readonly account: RunAccount;
  readonly redact: Redact;
  readonly mask: Mask;
  readonly hasInputs: boolean;
  readonly inputs: readonly KnownFile[];
  readonly outputs: readonly KnownFile[];
}

/** Yields the inputs and outputs of a run and the files of its workflow, as far as they are there. Close each file. */
export async function* crateFiles(
  { workspaces }: { readonly workspaces: Workspaces },
  choice: Choice,
): AsyncGenerator<CrateFile> {
  const { account } = choice;
  if (account.run.status === "deleted") return;
  const isGiven = givenIn(choice);
  const replaced = new Set(account.outputs.replaced.map(({ path }) => path));
  const isOutput = new Set(choice.outputs.map(({ path }) => path).filter((path) => !replaced.has(path)));
  const isMeant = (path: string) => isOutput.has(path) || isGiven(path);
  for await (const file of workspaces.of(account.run.workspaceId).openFiles(isMeant))
    yield { file, isGiven: isGiven(file.path), reason: await whyNot(file, choice) };
}

/** Returns the declared inputs from before the start. Steps may have written more files into the same folders. */
export async function givenInputs(
  { db }: { readonly db: Connection },
  { account, redact }: Pick<Choice, "account" | "redact">,
): Promise<readonly KnownFile[]> {
  const isInput = namedBy(pathsIn(account.definition.specification.inputs));
  const startedAtMs = account.run.startedAtMs ?? Infinity;
  const recorded = redacted(await recordedInputs(db, account.run), redact) as KnownFile[];
  const known = new Set(recorded.map(({ path }) => path));
  const there = (account.inputs?.files ?? []).filter(
    ({ path, stamp }) => !known.has(path) && (changedMsOfStamp(stamp) ?? 0) <= startedAtMs,
  );
  return [...recorded, ...there].filter(({ path }) => isInput(path));
}

/** Returns a test for the files that a run was given. A step may have written others of the declared inputs later. */
function givenIn({ account, inputs, hasInputs }: Choice): (path: string) => boolean {
  const { specification } = account.definition;
  const later = new Set((account.inputs?.files ?? []).map(({ path }) => path));
  for (const { path } of inputs) later.delete(path);
  const isWorkflow = namedBy(declaredPaths({ ...specification, inputs: {} }).inputs);
  const isInput = namedBy(pathsIn(specification.inputs));
  return (path) => isWorkflow(path) || (hasInputs && isInput(path) && !later.has(path));
}

async function whyNot(file: OpenFile, { redact, mask }: Choice): Promise<string | undefined> {
  if (OWN_NAMES.has(file.path)) return "The crate does not hold this file: a file of the crate has its name.";
  const isSecret = redact(file.path) !== file.path || (await holdsSecret(file, mask));
  if (isSecret) return "The crate does not hold this file: a secret of the owner is in it.";
  // On Windows a backslash separates folders.
  return file.path.includes("\\")
    ? "The crate does not hold this file: its name has a backslash."
    : undefined;
}

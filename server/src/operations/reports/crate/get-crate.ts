import { Readable } from "node:stream";
import type { Caller } from "#operations/context";
import { findRun, type Run } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { crateFiles, givenInputs } from "#operations/reports/crate/crate-files";
import { type CrateContext, type CrateSource, CrateWriter } from "#operations/reports/crate/crate-writer";
import type { CrateOptions } from "#operations/reports/crate/run-entities";
import { openPack, type Pack, type PackContext, type RunFile } from "#operations/reports/pack/pack";
import { accountOf } from "#operations/reports/run-account";
import { redaction } from "#operations/reports/redaction";
import { recordedOutputs } from "#operations/watch/origin/recorded-files";
import { Refusal } from "#plumbing/errors";
import { zip } from "#plumbing/zip/zip-writer";
import { isLive } from "#workflow/run/run-status";

export interface Crate {
  /** Name of the file: `fit.3.crate.zip`. */
  readonly fileName: string;
  /** Set if the crate runs again. */
  readonly pack: Pack | undefined;
  /** Returns the zip. The stream ends with an error if it cannot be completed. */
  stream(): Readable;
}

export interface CrateRequest extends CrateOptions {
  readonly address: string;
  /** True if the crate must hold all that is needed to run it again. */
  readonly isRunnable: boolean;
}

/** Packs a run that is over as a Provenance Run Crate: what ran, with its files, logs and the report. */
export async function getCrate(
  context: CrateContext & PackContext,
  caller: Caller,
  { address, isRunnable, ...options }: CrateRequest,
): Promise<Crate> {
  const run = await findRun(context, caller, address, "see");
  requireOver(run, "packed");
  if (isRunnable && !options.hasInputs)
    throw new Refusal("malformed", "A crate without its inputs cannot run again: leave out one of the two.");
  const account = await accountOf(context, caller, run.id);
  const redact = await redaction(context, run.ownerId);
  const mask = await context.secrets.mask(run.ownerId);
  const source = { account, options, redact, mask };
  const pack = isRunnable ? await openPack(context, caller, run, runFiles(context, source)) : undefined;
  const writer = new CrateWriter(context, { ...source, pack });
  return {
    fileName: `${fullNameOf(run)}${isRunnable ? "" : ".crate"}.zip`,
    pack,
    stream: () => Readable.from(zip(writer.entries()), { objectMode: false, highWaterMark: 1 << 20 }),
  };
}

/** Refuses a run that has not ended. */
export function requireOver(run: Run, verb: "packed" | "published"): void {
  if (run.status !== "created" && !isLive(run.status)) return;
  const why = run.status === "created" ? "it has not been started" : "it is still running";
  throw new Refusal(
    "conflict",
    `Workflow ${fullNameOf(run)} cannot be ${verb}: ${why}. A crate tells what ran.`,
  );
}

/** Yields the files of the crate, each closed again. */
async function* runFiles(context: CrateContext, source: Omit<CrateSource, "pack">): AsyncGenerator<RunFile> {
  const outputs = await recordedOutputs(context.db, source.account.run);
  const inputs = await givenInputs(context, source);
  for await (const { file, ...about } of crateFiles(context, {
    ...source,
    ...source.options,
    outputs,
    inputs,
  })) {
    await file.close();
    yield { path: file.path, bytes: file.bytes, ...about };
  }
}

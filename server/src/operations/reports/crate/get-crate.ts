import { Readable } from "node:stream";
import type { Caller } from "#operations/context";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { type CrateContext, CrateWriter } from "#operations/reports/crate/crate-writer";
import type { CrateOptions } from "#operations/reports/crate/run-entities";
import { accountOf } from "#operations/reports/run-account";
import { redaction } from "#operations/reports/redaction";
import { Refusal } from "#plumbing/errors";
import { zip } from "#plumbing/zip/zip-writer";
import { isLive } from "#workflow/run/run-status";

export interface Crate {
  /** Name of the file: `fit.3.crate.zip`. */
  readonly fileName: string;
  /** Returns the zip. The stream ends with an error if it cannot be completed. */
  stream(): Readable;
}

/** Packs a run that is over as a Provenance Run Crate: what ran, with its files, logs and the report. */
export async function getCrate(
  context: CrateContext,
  caller: Caller,
  { address, ...options }: CrateOptions & { readonly address: string },
): Promise<Crate> {
  const run = await findRun(context, caller, address, "see");
  if (run.status === "created" || isLive(run.status)) {
    const why = run.status === "created" ? "it has not been started" : "it is still running";
    throw new Refusal(
      "conflict",
      `Workflow ${fullNameOf(run)} cannot be packed: ${why}. A crate tells what ran.`,
    );
  }
  const account = await accountOf(context, caller, run.id);
  const redact = await redaction(context, run.ownerId);
  const mask = await context.secrets.mask(run.ownerId);
  const writer = new CrateWriter(context, { account, options, redact, mask });
  return {
    fileName: `${fullNameOf(run)}.crate.zip`,
    stream: () => Readable.from(zip(writer.entries()), { objectMode: false, highWaterMark: 1 << 20 }),
  };
}

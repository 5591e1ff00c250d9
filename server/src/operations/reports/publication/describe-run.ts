import { fullNameOf } from "#operations/full-name";
import { redacted, redaction } from "#operations/reports/redaction";
import { citationFileOf } from "#operations/reports/publication/citation-file";
import type { WatchServices } from "#operations/watch/services";
import { toWireTime } from "#plumbing/clock";
import { annotationsOf } from "#store/runs/run-notes";
import type { Run } from "#store/runs/runs";
import type { Creator, DepositDescription } from "#workflow/run/publication";

/** A description of a result by the user. Missing parts come from `CITATION.cff` and from the run. */
export interface GivenDescription {
  readonly title?: string | undefined;
  readonly creators?: readonly Creator[] | undefined;
  readonly license?: string | undefined;
}

/** Describes a run for a deposit, without secrets. The creators may be unknown: an empty list. */
export async function describeRun(
  context: Pick<WatchServices, "db" | "clock" | "workspaces" | "secrets">,
  run: Run,
  given: GivenDescription,
): Promise<DepositDescription> {
  const { db, clock, workspaces } = context;
  const file = await citationFileOf(workspaces.of(run.workspaceId));
  const { note, tags } = (await annotationsOf(db, [run.seq]))(run.seq);
  const version = fullNameOf(run);
  const about =
    `Run ${version} of a ${run.language} workflow with Reprise. The zip is an RO-Crate: it holds the workflow, its ` +
    "inputs, outputs and logs, and ro-crate-preview.html shows what ran.";
  const description: DepositDescription = {
    title: given.title ?? file.title ?? version,
    creators: given.creators ?? file.creators,
    description: note === "" ? about : `${note}\n\n${about}`,
    version,
    day: toWireTime(clock.now()).slice(0, 10),
    license: given.license ?? file.license,
    keywords: [...new Set([...file.keywords, ...tags])],
    identifier: `urn:uuid:${run.id}`,
  };
  return redacted(description, await redaction(context, run.ownerId)) as DepositDescription;
}

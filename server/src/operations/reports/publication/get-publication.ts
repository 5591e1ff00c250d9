import type { Caller } from "#operations/context";
import { findRun, type Run } from "#operations/find-run";
import { describeRun } from "#operations/reports/publication/describe-run";
import type { WatchServices } from "#operations/watch/services";
import { Refusal } from "#plumbing/errors";
import { publisherOf } from "#sources/deposits/deposit-server";
import { maybePublication, type Publication, stateOf } from "#store/publications/publications";
import {
  citationOf,
  type DepositDescription,
  type DepositFile,
  type PublicationState,
} from "#workflow/run/publication";

/** The publication of a run as users see it. */
export interface ShownPublication {
  readonly run: Run;
  readonly state: PublicationState;
  /** Address of the server with the deposit. */
  readonly to: string | null;
  /** Address of the draft or the record. */
  readonly url: string | null;
  readonly doi: string | null;
  readonly problem: string | null;
  readonly file: DepositFile | null;
  /** Null if the creators are unknown. */
  readonly citation: string | null;
}

/** Publisher in the citation of a run without a deposit. */
const UNPUBLISHED = "Unpublished";

export async function getPublication(
  context: Pick<WatchServices, "db" | "clock" | "workspaces" | "secrets">,
  caller: Caller,
  address: string,
): Promise<ShownPublication> {
  const run = await findRun(context, caller, address, "see");
  const publication = await maybePublication(context.db, run.id);
  if (publication) return shown(run, publication);
  const description = await maybeDescription(context, run);
  const citation =
    description && description.creators.length > 0
      ? citationOf(description, { publisher: UNPUBLISHED, doi: undefined })
      : null;
  return { run, state: "none", to: null, url: null, doi: null, problem: null, file: null, citation };
}

export function shown(run: Run, publication: Publication): ShownPublication {
  const { request, progress, problem } = publication;
  const { root, description } = request;
  const { id, doi, crate, isPublished } = progress;
  return {
    run,
    state: stateOf(publication),
    to: root,
    url: id === undefined ? null : `${root}/${isPublished ? "records" : "uploads"}/${id}`,
    doi: doi ?? null,
    problem,
    file: crate ?? null,
    citation: citationOf(description, { publisher: publisherOf(root), doi }),
  };
}

/** Returns undefined if `CITATION.cff` is malformed. */
async function maybeDescription(
  context: Parameters<typeof describeRun>[0],
  run: Run,
): Promise<DepositDescription | undefined> {
  try {
    return await describeRun(context, run, {});
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

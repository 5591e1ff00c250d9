import type { Caller } from "#operations/context";
import { findRun, type Run } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { changing, type Keyed } from "#operations/idempotency";
import { requireOver } from "#operations/reports/crate/get-crate";
import { describeRun, type GivenDescription } from "#operations/reports/publication/describe-run";
import { shown, type ShownPublication } from "#operations/reports/publication/get-publication";
import type { ReportServices } from "#operations/reports/services";
import type { WatchServices } from "#operations/watch/services";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { maybeSecretText } from "#runner/jobs/user-secrets";
import { depositTarget } from "#sources/deposits/open-deposits";
import {
  askForPublication,
  maybePublication,
  type Publication,
  stateOf,
  submitPublication,
} from "#store/publications/publications";
import { doiAddress, type PublicationRequest } from "#workflow/run/publication";

type RequestContext = Pick<WatchServices, "db" | "clock" | "workspaces" | "secrets"> &
  Pick<ReportServices, "deposits"> &
  Keyed;

export interface AskedPublication extends GivenDescription {
  readonly address: string;
  /** A word or an address. May be absent if the run has a draft. */
  readonly to?: string | undefined;
  /** Name of the secret with the token. */
  readonly secret?: string | undefined;
  readonly submits: boolean;
  /** Address of Reprise, for the crate. */
  readonly server: string;
  /** Version of Reprise. */
  readonly program: string;
}

/** Records that a run is to be published. The server takes the steps afterwards, and repeats them until they are done. */
export async function requestPublication(
  context: RequestContext,
  caller: Caller,
  asked: AskedPublication,
): Promise<ShownPublication> {
  const { db, clock, deposits } = context;
  const run = await findRun(context, caller, asked.address, "change");
  if (run.status === "deleted") throw conflict(run, "it was deleted");
  requireOver(run, "published");
  const known = await maybePublication(db, run.id);
  if (known?.progress.isPublished)
    throw conflict(run, `it is already, as ${doiAddress(known.progress.doi ?? "")}`);
  const request =
    known && isBegun(known) ? again(run, known, asked) : await firstRequest(context, run, asked);
  await deposits.check(request.root);
  await requireToken(context, caller, request);
  const { submits } = asked;
  const recorded = await changing(context, async (connection) => {
    if (known && stateOf(known) === "sending") {
      if (submits) await submitPublication(connection, run.id);
    } else await askForPublication(connection, { runId: run.id, request, submits }, clock.now());
    return shown(run, (await maybePublication(connection, run.id))!);
  });
  crashPoint("publication-asked");
  return recorded;
}

/** Returns true if a draft may exist. Its description and place then stay. */
function isBegun(publication: Publication): boolean {
  const { id, askedAtMs } = publication.progress;
  return stateOf(publication) === "sending" || id !== undefined || askedAtMs !== undefined;
}

function again(run: Run, { request }: Publication, { to, secret }: AskedPublication): PublicationRequest {
  const target = to === undefined ? request : depositTarget(to, secret ?? secretFor(to, request));
  if (target.root !== request.root)
    throw conflict(
      run,
      `it has a draft on ${new URL(request.root).host}. Publish that draft, or delete it there and publish the workflow again`,
    );
  return { ...request, secret: secret ?? request.secret };
}

/** Returns the earlier secret if the user names the earlier server again. */
function secretFor(to: string, { root, secret }: PublicationRequest): string | undefined {
  return to.replace(/\/+$/, "") === root ? secret : undefined;
}

async function firstRequest(
  context: RequestContext,
  run: Run,
  { to, secret, server, program, ...given }: AskedPublication,
): Promise<PublicationRequest> {
  if (to === undefined)
    throw new Refusal(
      "malformed",
      "Missing place to publish: give zenodo, zenodo-sandbox, or the address of a server.",
    );
  const description = await describeRun(context, run, given);
  if (description.creators.length === 0)
    throw new Refusal(
      "malformed",
      `Workflow ${fullNameOf(run)} cannot be published: its creators are unknown. Name them, or add a CITATION.cff to its files.`,
    );
  return { ...depositTarget(to, secret), description, server, program };
}

async function requireToken(
  { secrets }: RequestContext,
  caller: Caller,
  { root, secret }: PublicationRequest,
): Promise<void> {
  if ((await maybeSecretText(secrets, caller.id, secret)) !== undefined) return;
  throw new Refusal(
    "conflict",
    `You have no secret ${secret}: store your access token for ${new URL(root).host} under that name.`,
  );
}

function conflict(run: Run, why: string): Refusal {
  return new Refusal("conflict", `Workflow ${fullNameOf(run)} cannot be published: ${why}.`);
}

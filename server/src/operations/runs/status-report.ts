import type { RunServices } from "#operations/runs/services";
import { shortageSentence } from "#operations/service/disk-shortage";
import { getLoad } from "#operations/service/get-load";
import { getServerState, type ServerState } from "#operations/service/server-state";
import { DAY_MS, toWireTime } from "#plumbing/clock";
import { Refusal } from "#plumbing/errors";
import { counted } from "#plumbing/text/counted";
import { shortSize } from "#plumbing/text/human-size";
import { type EndedRuns, endedRunsSince } from "#store/runs/old-runs";
import { findUsers, type User } from "#store/users/users";

/**
 * A status report for administrators, as an e-mail and in the terminal. Contains no data about runs and users
 * beyond their names.
 */
export interface StatusReport {
  readonly subject: string;
  readonly text: string;
}

/** Limit on the failed runs that a report names. */
const NAMED_MAX = 20;

type ReportContext = Pick<
  RunServices,
  "db" | "clock" | "disk" | "limits" | "capabilities" | "scheduler" | "unfinishedRemovals"
>;

/** Reports problems needing attention, and events of the last days. */
export async function statusReport(
  context: ReportContext,
  { days, version }: { readonly days: number; readonly version: string },
): Promise<StatusReport> {
  const { db, clock } = context;
  const nowMs = clock.now();
  const load = await getLoad(context);
  const state = await getServerState(context);
  const ended = await endedRunsSince(db, nowMs - days * DAY_MS, NAMED_MAX);
  const users = await findUsers(db, {});
  const troubles = troublesOf(context, state, load.hosts.present);
  const { running, pending, queued } = load.runs;
  const lines = [
    `Reprise ${version}, ${minuteOf(nowMs - days * DAY_MS)} to ${minuteOf(nowMs)} UTC`,
    "",
    ...(troubles.length === 0 ? ["Nothing needs attention."] : ["Needs attention:", ...troubles.map(item)]),
    "",
    `Runs that ended: ${outcomeOf(ended)}`,
    `Runs now: ${running + pending} running, ${queued} queued; jobs: ${load.jobs.running} running, ${load.jobs.created} waiting`,
    `Users: ${usersText(users)}`,
    `Disk: ${diskText(state)}`,
    ...(ended.failed.length === 0 ? [] : ["", "Failed:", ...ended.failed.map(failedLine)]),
    ...(ended.counts.failed > ended.failed.length
      ? [`- and ${ended.counts.failed - ended.failed.length} more`]
      : []),
  ];
  const attention = troubles.length === 0 ? "" : `${counted(troubles.length, "problem")}; `;
  return { subject: `Reprise: ${attention}${outcomeOf(ended)}`, text: `${lines.join("\n")}\n` };
}

export type MailContext = ReportContext & Pick<RunServices, "outbox" | "random">;

/** Outcome of sending a report. */
export interface SentReport {
  readonly sentTo: readonly string[];
  /** A sentence for each address that was not reached. */
  readonly problems: readonly string[];
}

/** Sends a report to every administrator who may sign in, and refuses if one of them was not reached. */
export async function mailStatusReport(
  context: MailContext,
  wanted: { readonly days: number; readonly version: string },
): Promise<readonly string[]> {
  const id = `report_${context.random.uuid()}`;
  const { sentTo, problems } = await sendStatusReport(context, { ...wanted, id });
  if (problems.length > 0) throw new Refusal("conflict", problems.join(" "));
  return sentTo;
}

/** Sends a report, with the given id of the message, to every administrator who may sign in. */
export async function sendStatusReport(
  context: MailContext,
  { id, ...wanted }: { readonly days: number; readonly version: string; readonly id: string },
): Promise<SentReport> {
  const report = await statusReport(context, wanted);
  if (!context.outbox.settings.mail)
    throw new Refusal(
      "conflict",
      "The report was not sent: this server sends no e-mail. Set REPRISE_MAIL_SERVER.",
    );
  const admins = (await findUsers(context.db, {})).filter(
    (user) => user.isAdmin && user.disabledAtMs === null,
  );
  const addresses = admins.map(({ email }) => email).filter((email) => !email.endsWith("@localhost"));
  if (addresses.length === 0)
    throw new Refusal(
      "conflict",
      "The report was not sent: no administrator has an address outside this machine.",
    );
  const sentTo: string[] = [];
  const problems: string[] = [];
  for (const address of addresses) {
    const problem = await context.outbox.mailTo(address, { id, ...report });
    if (problem === undefined) sentTo.push(address);
    else problems.push(`The report was not sent to ${address}: ${problem}`);
  }
  return { sentTo, problems };
}

/** Returns a sentence for each thing that an administrator should look at. */
function troublesOf(
  { disk, unfinishedRemovals }: ReportContext,
  { backends }: ServerState,
  present: number,
): string[] {
  const shortage = disk.shortage();
  return [
    ...(shortage ? [shortageSentence(shortage)] : []),
    ...backends.flatMap(({ name, away }) => (away === undefined ? [] : [`The backend ${name}: ${away}`])),
    ...(present === 0 ? ["No host is there to carry out runs."] : []),
    ...(unfinishedRemovals.size === 0
      ? []
      : [`The files of ${counted(unfinishedRemovals.size, "deleted run")} could not be removed yet.`]),
  ];
}

function outcomeOf({ counts: { finished, failed, stopped } }: EndedRuns): string {
  return `${finished} finished, ${failed} failed, ${stopped} stopped`;
}

function usersText(users: readonly User[]): string {
  const disabled = users.filter(({ disabledAtMs }) => disabledAtMs !== null).length;
  return `${users.length}, ${disabled} disabled`;
}

function diskText({ disk, databaseBytes }: ServerState): string {
  const free = disk ? `${shortSize(disk.freeBytes)} free of ${shortSize(disk.totalBytes)}` : "size unknown";
  return `${free}; the database takes ${shortSize(databaseBytes)}`;
}

function failedLine({ name, ownerEmail }: EndedRuns["failed"][number]): string {
  return item(`${name} of ${ownerEmail}`);
}

function item(text: string): string {
  return `- ${text}`;
}

function minuteOf(ms: number): string {
  return toWireTime(ms).slice(0, 16).replace("T", " ");
}

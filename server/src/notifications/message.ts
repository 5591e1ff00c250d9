import { toWireTime } from "#plumbing/clock";
import { derivedUuid } from "#plumbing/ids";
import type { Delivery } from "#store/notifications/deliveries";
import { fullName } from "#workflow/run/run-name";
import { isOver } from "#workflow/run/run-status";

/** A message to a receiver, for programs and for people. Every attempt to send a message uses the same id. */
export interface Message extends Mail {
  /** JSON. */
  readonly body: string;
}

export interface Mail {
  readonly id: string;
  readonly subject: string;
  readonly text: string;
}

type RunNews = Omit<Delivery, "notificationId">;

/** Returns the message about a run's new status. Types and payload follow the conventions of Standard Webhooks. */
export function messageAbout(delivery: Delivery): Message {
  const { notificationId, runId, status, atMs } = delivery;
  return {
    id: `msg_${derivedUuid("delivery", notificationId, runId, status)}`,
    body: bodyOf(`run.${status}`, atMs, runRecord(delivery)),
    ...wordsAbout(delivery),
  };
}

/** Returns a test message, for users who try a receiver. */
export function testMessage(id: string, nowMs: number): Message {
  const subject = "Test message of Reprise";
  const text = "Messages about your runs reach you here.\n";
  return { id: `msg_${id}`, body: bodyOf("test", nowMs, {}), subject, text };
}

function bodyOf(type: string, atMs: number, data: object): string {
  return JSON.stringify({ type, timestamp: utcTime(atMs), data });
}

function runRecord(run: RunNews): object {
  const hasEnded = isOver(run.status);
  return {
    id: run.runId,
    name: fullName(run.name, run.runMajor, run.runMinor),
    status: run.status,
    restart_of: maybeRestarted(run),
    created: utcTime(run.createdAtMs),
    started: run.startedAtMs === null || run.status === "queued" ? null : utcTime(run.startedAtMs),
    ended: hasEnded ? utcTime(run.atMs) : null,
    failure: run.status === "failed" ? run.failure : null,
  };
}

/** Returns the name of the run that a restart followed. Null for the first run of a workspace. */
function maybeRestarted({ name, runMajor, runMinor }: Pick<RunNews, "name" | "runMajor" | "runMinor">) {
  return runMinor === 0 ? null : fullName(name, runMajor, runMinor - 1);
}

function wordsAbout({ status, atMs, failure, ...run }: RunNews): Pick<Mail, "subject" | "text"> {
  const name = fullName(run.name, run.runMajor, run.runMinor);
  const reason = status === "failed" && failure !== null ? [failure] : [];
  const before = maybeRestarted(run);
  const restart = before === null ? "" : ` It is a restart of ${before}.`;
  const lines = [`${name} is ${status} since ${utcTime(atMs)}.${restart}`, ...reason];
  return { subject: `${name} is ${status}`, text: `${lines.join("\n\n")}\n` };
}

function utcTime(epochMs: number): string {
  return `${toWireTime(epochMs)}Z`;
}

import type { Outbox } from "#notifications/outbox";
import { makeWebhookSecret, maybeForbidden } from "#notifications/webhook";
import type { Caller } from "#operations/context";
import type { AccountServices } from "#operations/users/services";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { changing, type Keyed } from "#operations/idempotency";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import { transaction } from "#store/database/database";
import {
  countNotifications,
  deleteNotification,
  insertNotification,
  type ListedNotification,
  maybeNotification,
  notificationsOf,
} from "#store/notifications/notifications";
import {
  parseReceiver,
  type Receiver,
  REPORTED_BY_DEFAULT,
  REPORTED_STATUSES,
  type ReportedStatus,
} from "#workflow/people/notification";

export type { ListedNotification };

type NotificationsContext = Pick<AccountServices, "db" | "clock" | "random" | "tokenSeal" | "outbox"> & Keyed;

/** Returns the notifications of the caller, the oldest first. */
export function listNotifications(
  { db }: Pick<NotificationsContext, "db">,
  caller: Caller,
): Promise<ListedNotification[]> {
  return notificationsOf(db, caller.id);
}

export interface NotificationRequest {
  /** An https address, or the caller's e-mail address. */
  readonly receiver: string;
  /** Address of the only run to report. Optional: if absent, all runs of the caller. */
  readonly run?: string | undefined;
  /** Default: the statuses of runs that have ended. */
  readonly statuses?: readonly ReportedStatus[] | undefined;
}

export interface AddedNotification {
  readonly id: string;
  readonly receiver: string;
  readonly run: string | null;
  readonly statuses: readonly ReportedStatus[];
  /** The key of a webhook's signatures. This is the only time it is shown. Null for e-mail. */
  readonly secret: string | null;
}

/** Limit on the notifications of a user: each change of a run's status reads all of them. */
const MOST_PER_USER = 100;

/** Adds a notification. From now on, the receiver gets a message when the runs reach these statuses. */
export async function addNotification(
  context: NotificationsContext,
  caller: Caller,
  wanted: NotificationRequest,
): Promise<AddedNotification> {
  const { clock, random, tokenSeal } = context;
  const { receiver } = wanted;
  const { kind } = findReceiver(context, caller, receiver);
  const run = wanted.run === undefined ? undefined : await findRun(context, caller, wanted.run, "change");
  const statuses = inOrder(wanted.statuses ?? REPORTED_BY_DEFAULT);
  const id = random.uuid();
  const secret = kind === "webhook" ? makeWebhookSecret(random) : null;
  const added = await changing(context, async (db) => {
    if ((await countNotifications(db, caller.id)) >= MOST_PER_USER) throw tooMany();
    await insertNotification(db, {
      id,
      userId: caller.id,
      runId: run?.id ?? null,
      receiver,
      statuses,
      sealed: secret && tokenSeal.seal(secret),
      createdAtMs: clock.now(),
    });
    return { id, receiver, run: run ? fullNameOf(run) : null, statuses, secret };
  });
  crashPoint("notification-added");
  return added;
}

/** Removes a notification of the caller. Messages that wait are not sent. */
export async function removeNotification(
  context: NotificationsContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const isRemoved = await transaction(context.db, (db) => deleteNotification(db, { userId: caller.id, id }));
  if (!isRemoved) throw absent(id);
  crashPoint("notification-removed");
}

/** Sends the receiver a test message. Returns the problem, or undefined if the message was accepted. */
export async function testNotification(
  { db, outbox }: Pick<NotificationsContext, "db" | "outbox">,
  caller: Caller,
  id: string,
): Promise<string | undefined> {
  const notification = await maybeNotification(db, { userId: caller.id, id });
  if (!notification) throw absent(id);
  return outbox.sendTest(notification);
}

/** Refuses a receiver not allowed by the settings. */
function findReceiver(
  { outbox }: Pick<NotificationsContext, "outbox">,
  caller: Caller,
  text: string,
): Receiver {
  const receiver = parseReceiver(text);
  const problem = "problem" in receiver ? receiver.problem : problemWith(outbox.settings, caller, receiver);
  if (problem === undefined) return receiver as Receiver;
  throw new Refusal("malformed", `Nothing can be sent to ${printable(text, 100)}: ${problem}.`);
}

function problemWith(
  { webhooks, mail }: Outbox["settings"],
  { email }: Caller,
  receiver: Receiver,
): string | undefined {
  if (receiver.kind === "webhook") return maybeForbidden(receiver.url, webhooks);
  if (!mail) return "this server sends no e-mail. Give the https address of a webhook";
  const isOwn = receiver.email.toLowerCase() === email.toLowerCase();
  return isOwn ? undefined : `it is not your own address, ${email}`;
}

function inOrder(statuses: readonly ReportedStatus[]): ReportedStatus[] {
  return REPORTED_STATUSES.filter((status) => statuses.includes(status));
}

function tooMany(): Refusal {
  return new Refusal(
    "conflict",
    `The notification could not be added: you have ${MOST_PER_USER}, which is the maximum. Remove one first.`,
  );
}

function absent(id: string): Refusal {
  return new Refusal("absent", `You have no notification with the id ${printable(id, 100)}.`);
}

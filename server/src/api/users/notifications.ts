import Type from "typebox";
import { change, endpoint } from "#api/http/endpoint";
import { Message, nullable, oneOf, toUtcTime, utcTime, utcTimeOrNull } from "#api/http/document/schemas";
import { fullNameOf } from "#operations/full-name";
import {
  addNotification,
  type ListedNotification,
  listNotifications,
  removeNotification,
  testNotification,
} from "#operations/users/notifications";
import { Refusal } from "#plumbing/errors";
import { REPORTED_STATUSES } from "#workflow/people/notification";

const Statuses = Type.Array(oneOf(REPORTED_STATUSES), { minItems: 1 });

const NOTIFICATION = {
  id: Type.String({ format: "uuid" }),
  to: Type.String({ description: "The address of a webhook, or the caller's e-mail address." }),
  run: nullable(Type.String({ description: "The only reported run. Null for all runs." })),
  on: Statuses,
};

const NotificationRecord = Type.Object(
  {
    ...NOTIFICATION,
    created: utcTime(),
    delivered: nullable(utcTime("Time of the last message that was accepted.")),
    waiting: Type.Integer({ description: "Number of undelivered messages." }),
    problem: nullable(Type.String({ description: "Reason of the last failure. Null after a success." })),
    next_attempt: nullable(utcTime()),
  },
  { title: "Notification" },
);

function notificationRecord(one: ListedNotification) {
  return {
    id: one.id,
    to: one.receiver,
    run: one.run && fullNameOf(one.run),
    on: [...one.statuses],
    created: toUtcTime(one.createdAtMs),
    delivered: utcTimeOrNull(one.deliveredAtMs),
    waiting: one.waiting,
    problem: one.problem,
    next_attempt: one.waiting > 0 ? utcTimeOrNull(one.dueAtMs) : null,
  };
}

/** The address of a webhook may be a secret, so a read-only token must not see it. */
const SCOPE = "everything";

export const listNotificationsEndpoint = endpoint({
  operation: "list-notifications",
  summary: "List the caller's notifications, and what became of their messages",
  access: "user",
  scope: SCOPE,
  schema: { response: { 200: Type.Array(NotificationRecord) } },
  handle: async (context, { caller }) => (await listNotifications(context, caller)).map(notificationRecord),
});

export const addNotificationEndpoint = change({
  operation: "add-notification",
  summary: "Send a message to a webhook, or an e-mail to the caller, when runs of the caller reach a status",
  access: "user",
  needsBody: true,
  refuses: [404],
  schema: {
    body: Type.Object({
      to: Type.String({ description: "The https address of a webhook, or the caller's e-mail address." }),
      run: Type.Optional(Type.String({ description: "UUID or name of a run. Absent: all runs." })),
      on: Type.Optional(Statuses),
    }),
    response: {
      201: Type.Object({
        ...NOTIFICATION,
        secret: nullable(
          Type.String({
            description:
              "The key of a webhook's signatures, as libraries of Standard Webhooks take it. Only shown now. Null for e-mail.",
          }),
        ),
      }),
    },
  },
  handle(context, { caller, body }) {
    if (!body) throw new Refusal("malformed", "No receiver was given: send JSON with `to`.");
    const { to: receiver, run, on: statuses } = body;
    return addNotification(context, caller, { receiver, run, statuses });
  },
  toWire: ({ id, receiver, run, statuses, secret }) => ({ id, to: receiver, run, on: [...statuses], secret }),
});

const PARAMS = Type.Object({ notification: Type.String({ description: "The id of a notification." }) });

export const removeNotificationEndpoint = endpoint({
  operation: "remove-notification",
  summary: "Remove a notification of the caller: messages that wait are not sent",
  access: "user",
  worksOnFullDisk: true,
  schema: { params: PARAMS, response: { 200: Message } },
  async handle(context, { caller, params }) {
    await removeNotification(context, caller, params.notification);
    return { message: "The notification was removed." };
  },
});

export const testNotificationEndpoint = endpoint({
  operation: "test-notification",
  summary: "Send a test message to the receiver of a notification, and wait for its reply for ten seconds",
  access: "user",
  worksOnFullDisk: true,
  schema: {
    params: PARAMS,
    response: {
      200: Type.Object({
        delivered: Type.Boolean(),
        problem: nullable(Type.String({ description: "Reason for the failed delivery." })),
      }),
    },
  },
  async handle(context, { caller, params }) {
    const problem = await testNotification(context, caller, params.notification);
    return { delivered: problem === undefined, problem: problem ?? null };
  },
});

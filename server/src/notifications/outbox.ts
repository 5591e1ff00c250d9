import { type CommitReporter, NO_GITLAB, reportCommit, statusOfCommit } from "#notifications/commit-status";
import { type MailSettings, sendMail } from "#notifications/mail";
import { type Mail, type Message, messageAbout, testMessage } from "#notifications/message";
import { sendWebhook, type WebhookRules } from "#notifications/webhook";
import { DAY_MS, type Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import type { Random } from "#plumbing/ids";
import { onceAtATime } from "#plumbing/once-at-a-time";
import type { Connection } from "#store/database/database";
import {
  claimNotification,
  type Delivery,
  type DueNotification,
  dueNotifications,
  maybeNextDelivery,
  type Outcome,
  recordEmpty,
  recordOutcome,
} from "#store/notifications/deliveries";
import { type Notification, removeSpentNotification } from "#store/notifications/notifications";
import { maybeCommitOf } from "#workflow/people/gitlab-event";

export interface NotificationSettings {
  readonly webhooks: WebhookRules;
  /** If absent, no e-mail is sent. */
  readonly mail?: MailSettings | undefined;
}

interface OutboxContext {
  readonly db: Connection;
  readonly clock: Clock;
  readonly random: Random;
  readonly seal: { open(sealed: string): string };
  readonly settings: NotificationSettings;
  /** If absent, this server is connected to no GitLab. */
  readonly commits?: CommitReporter | undefined;
  readonly log: {
    info(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

const NO_MAIL = "This server sends no e-mail.";
/** Maximum number of messages in transit, at most one per notification. */
const MOST_AT_ONCE = 16;
/** Time of a notification's reservation against other servers: longer than any attempt. */
const CLAIM_MS = 60_000;
const FIRST_PAUSE_MS = 5000;
const LAST_PAUSE_MS = 3_600_000;
/** Age at which an undelivered message is given up. */
const GIVEN_UP_AFTER_MS = 3 * DAY_MS;

/**
 * Sends the messages in the outbox. Messages of one notification are sent in sequence, oldest first, so a
 * receiver that hangs delays only its own messages. A message is repeated until the receiver accepts it, even
 * if the server dies after sending and before recording the delivery. A receiver may therefore get a message
 * twice, with the same id.
 */
export class Outbox {
  readonly #context: OutboxContext;
  readonly #rounds = onceAtATime(() => this.#round());
  /** The attempts that are being made, by notification. */
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(context: OutboxContext) {
    this.#context = context;
  }

  get settings(): NotificationSettings {
    return this.#context.settings;
  }

  /** Starts to send due messages. */
  async look(): Promise<void> {
    this.#rounds.ask();
    await this.#rounds.settled();
  }

  /**
   * Sends a test message. Returns the problem as a sentence, or undefined if the receiver accepted the
   * message.
   */
  sendTest(notification: Notification): Promise<string | undefined> {
    const { clock, random } = this.#context;
    return this.#send(notification, testMessage(random.uuid(), clock.now()));
  }

  /** Sends an e-mail once. Returns the problem in a sentence, or undefined if it was accepted. */
  mailTo(address: string, mail: Mail): Promise<string | undefined> {
    const { clock, settings } = this.#context;
    if (!settings.mail) return Promise.resolve(NO_MAIL);
    return sendMail({ clock, settings: settings.mail }, address, mail, this.#stopping.signal);
  }

  /** Stops sending. The next server sends the messages that were not delivered. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.settled();
  }

  /** Resolves when no message is in transit or due. */
  async settled(): Promise<void> {
    await this.#rounds.settled();
    while (this.#underWay.size > 0) {
      await Promise.all(this.#underWay.values());
      // An attempt that has ended starts another round.
      await this.#rounds.settled();
    }
  }

  async #round(): Promise<void> {
    const { db, clock, log } = this.#context;
    if (this.#stopping.signal.aborted) return;
    try {
      const due = await dueNotifications(db, { nowMs: clock.now(), most: MOST_AT_ONCE });
      const next = due.filter(({ id }) => !this.#underWay.has(id));
      for (const one of next.slice(0, MOST_AT_ONCE - this.#underWay.size)) this.#begin(one);
    } catch (error) {
      log.error({ err: error }, "The outbox could not be read; trying again.");
    }
  }

  #begin(notification: DueNotification): void {
    const { log } = this.#context;
    const { id } = notification;
    const failed = (error: unknown) =>
      log.error({ err: error, notification: id }, "A message could not be sent; trying again.");
    const work = this.#deliverNext(notification)
      // After a failure, the next look tries again.
      .then(() => this.#rounds.ask(), failed)
      .finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, work);
  }

  async #deliverNext(notification: DueNotification): Promise<void> {
    const { db, clock } = this.#context;
    if (!(await claimNotification(db, notification, clock.now() + CLAIM_MS))) return;
    crashPoint("notification-claimed");
    const delivery = await maybeNextDelivery(db, notification.id);
    if (!delivery) return recordEmpty(db, notification.id, clock.now());
    const problem = await this.#deliver(notification, delivery);
    if (problem !== undefined && this.#stopping.signal.aborted) return;
    crashPoint("message-sent");
    await recordOutcome(db, delivery, outcomeOf(notification, problem, clock.now()));
    crashPoint("delivery-recorded");
    // A commit is reported until the end of its run. Webhooks and e-mail addresses stay in their user's list.
    if (maybeCommitOf(notification.receiver)) await removeSpentNotification(db, notification.id);
  }

  #deliver(notification: Notification, delivery: Delivery): Promise<string | undefined> {
    const { clock, commits: reporter } = this.#context;
    const commit = maybeCommitOf(notification.receiver);
    if (!commit) return this.#send(notification, messageAbout(delivery));
    if (!reporter) return Promise.resolve(NO_GITLAB);
    const { userId } = notification;
    return reportCommit({ clock, reporter, userId }, statusOfCommit(commit, delivery), this.#stopping.signal);
  }

  async #send({ receiver, sealed }: Notification, message: Message): Promise<string | undefined> {
    const { clock, seal, settings } = this.#context;
    if (maybeCommitOf(receiver))
      return "A commit of GitLab gets no test message: it has the status of its run.";
    if (sealed !== null) {
      const wanted = { url: new URL(receiver), secret: seal.open(sealed), message };
      return sendWebhook({ clock, rules: settings.webhooks }, wanted, this.#stopping.signal);
    }
    return this.mailTo(receiver, message);
  }
}

function outcomeOf({ failures }: Notification, problem: string | undefined, nowMs: number): Outcome {
  if (problem === undefined) return { kind: "delivered", atMs: nowMs };
  return {
    kind: "failed",
    problem,
    againAtMs: nowMs + pauseMs(failures + 1),
    giveUpBeforeMs: nowMs - GIVEN_UP_AFTER_MS,
  };
}

/** Returns the pause after so many failures in a row: 5 s, four times as long each time, up to an hour. */
function pauseMs(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 4 ** (failures - 1), LAST_PAUSE_MS);
}

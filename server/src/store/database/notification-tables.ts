import type { ReportedStatus } from "#workflow/people/notification";

/** Requests of users to be sent a message when runs reach certain statuses. */
export interface NotificationsTable {
  id: string;
  user_id: string;
  /** The only run to report. Null for all runs of the user. */
  run_id: string | null;
  /** The address of a webhook, or an e-mail address. */
  receiver: string;
  /** `,finished,failed,`: each status with a comma on both sides. */
  statuses: string;
  /** The key of a webhook's signatures, encrypted with the server's key. Null for e-mail. */
  sealed: string | null;
  created_at: number;
  /** The earliest moment of the next attempt to deliver. Null if nothing is waiting. */
  due_at: number | null;
  /** Failed attempts since the last success. */
  failures: number;
  delivered_at: number | null;
  /** Why the last attempt failed, in a sentence. Null if it succeeded. */
  problem: string | null;
}

/** The outbox: a row for each status of a run that a notification has to report. */
export interface DeliveriesTable {
  notification_id: string;
  run_id: string;
  status: ReportedStatus;
  /** Position of the status in the life of a run. */
  place: number;
  /** Time of the change. */
  at: number;
}

/** A row for each interval of scheduled status reports. */
export interface ReportSchedulesTable {
  interval: string;
  series_id: string;
  due_at: number;
}

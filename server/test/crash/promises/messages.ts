import type { Witness } from "../witness.ts";
import type { Row, Rows } from "./rows.ts";

/**
 * Checks that every status reported by a notification was delivered or is in the outbox, and that the outbox
 * has no further messages.
 */
export function lostMessages(
  rows: Pick<Rows, "notifications" | "deliveries" | "runs">,
  witness: Witness,
): string[] {
  const known = new Set(rows.notifications.map(({ id }) => id));
  return [
    ...rows.notifications.flatMap((one) => lostOf(one, rows, witness)),
    ...witness.notifications.flatMap(({ id, isThere }) =>
      isThere === "unknown" || known.has(id) === isThere
        ? []
        : [`P1: the notification ${id} is ${isThere ? "gone" : "there"}.`],
    ),
  ];
}

function lostOf(
  one: Row<"notifications">,
  { runs, deliveries }: Pick<Rows, "deliveries" | "runs">,
  { messages }: Witness,
): string[] {
  const reported = runs.filter(
    (run) =>
      run.owner_id === one.user_id && one.statuses.includes(`,${run.status},`) && endOf(run) > one.created_at,
  );
  const waiting = deliveries.filter(({ notification_id: id }) => id === one.id);
  const lost = reported.filter(
    (run) =>
      !messages.has(`${one.receiver} ${run.id} ${run.status}`) &&
      !waiting.some(({ run_id: id }) => id === run.id),
  );
  const early = waiting.filter(({ run_id: id }) => !reported.some((run) => run.id === id));
  const isForgotten = waiting.length > 0 && one.due_at === null;
  return [
    ...lost.map((run) => `P1: no message says that ${run.id} is ${run.status}.`),
    ...early.map(({ run_id: id, status }) => `P1: a message says that ${id} is ${status}, and it is not.`),
    ...(isForgotten ? [`P3: the messages of ${one.id} wait, and none is due.`] : []),
  ];
}

function endOf(run: Row<"runs">): number {
  return run.finished_at ?? run.stopped_at ?? 0;
}

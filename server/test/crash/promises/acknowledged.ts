import { createHash } from "node:crypto";
import type { WitnessedKey } from "../keys.ts";
import type { Witness, WitnessedRun } from "../witness.ts";
import type { Row, Rows } from "./rows.ts";

/**
 * P1, from the rows: acknowledged changes are recorded, and each unacknowledged change is complete or absent.
 */
export function acknowledgedInRows(rows: Rows, witness: Witness): string[] {
  const runs = new Map(rows.runs.map((row) => [row.id, row]));
  return [
    ...rows.users
      .filter((user) => !isNewPerson(rows, user))
      .filter((user) => hasToken(rows, user) !== (user.deleted_at === null))
      .map(({ email }) => `P1: ${email} has no token, or a token after the deletion.`),
    ...witness.users.flatMap((user) => wrongUser(rows, user)),
    ...witness.keys.filter((key) => isWrongKey(rows, key)).map((key) => wrongKey(key)),
    ...witness.runs.flatMap((run) => wrongRun(runs.get(run.id), run)),
  ];
}

/**
 * Forgets stops that were in flight when the server died and are not in the database: they will never be carried out.
 */
export function forgetLostStops(rows: Rows, witness: Witness): void {
  const recorded = new Set(rows.runs.filter((row) => row.stop_requested_at !== null).map((row) => row.id));
  for (const run of witness.runs) if (run.stopped === "asked" && !recorded.has(run.id)) run.stopped = "never";
}

/** True for a person of a provider before the first sign-in, which gives a token. */
function isNewPerson({ identities }: Rows, { id }: Row<"users">): boolean {
  return identities.some(({ user_id: userId, signed_in_at: at }) => userId === id && at === null);
}

function hasToken(rows: Rows, user: Row<"users">): boolean {
  return rows.tokens.some((token) => token.user_id === user.id);
}

function wrongUser(rows: Rows, user: Witness["users"][number]): string[] {
  const row = rows.users.find(({ id }) => id === user.id);
  if (!row) return [`P1: the user ${user.email} is gone.`];
  const isOut = row.disabled_at !== null;
  const isWrong = user.lockedOut !== "unknown" && user.lockedOut !== isOut;
  const limit = rows.quotas.find(({ user_id: id }) => id === user.id)?.cpu_limit_ms ?? null;
  const isLimited = user.cpuLimitMs === "unknown" || user.cpuLimitMs === limit;
  return [
    ...(isWrong ? [`P1: the user ${user.email} is ${isOut ? "" : "not "}locked out.`] : []),
    ...(isLimited ? [] : [`P1: the limit of ${user.email} is ${limit}.`]),
  ];
}

function isWrongKey({ tokens }: Rows, { secret, isOpen }: WitnessedKey): boolean {
  const hash = createHash("sha256").update(secret).digest("hex");
  const isKept = tokens.some((row) => row.hash === hash && row.revoked_at === null);
  return isOpen !== "unknown" && isOpen !== isKept;
}

function wrongKey({ isOpen }: WitnessedKey): string {
  return `P1: a token, code or session is ${isOpen === true ? "lost" : "open, although its end was answered"}.`;
}

function wrongRun(row: Row<"runs"> | undefined, run: WitnessedRun): string[] {
  if (!row) return [`P1: the run ${run.id} is gone.`];
  const allowed = allowedEnds(run);
  if (allowed.includes(row.status)) return [];
  const { started, stopped, deleted } = run;
  const failure = row.failure === null ? "" : ` ("${row.failure}")`;
  return [
    `P1: the run ${run.id} is ${row.status}${failure} and not ${allowed.join(" or ")} ` +
      `(start: ${started}, stop: ${stopped}, delete: ${deleted}).`,
  ];
}

function allowedEnds(run: WitnessedRun): string[] {
  if (run.deleted === "answered") return ["deleted"];
  const allowed: string[] = run.deleted === "asked" ? ["deleted"] : [];
  if (run.started !== "answered") allowed.push("created");
  if (run.started === "never") return allowed;
  const toldEnd = run.seen.find((status) => ["stopped", "finished", "failed"].includes(status));
  if (toldEnd !== undefined) return [...allowed, toldEnd];
  if (run.stopped !== "never") allowed.push("stopped");
  return [...allowed, run.endsAs];
}

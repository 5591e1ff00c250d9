import { type RawBuilder, sql, type SqlBool } from "kysely";
import { containsText } from "#store/database/contains-text";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { countInStatuses } from "#store/runs/run-counts";
import { countShared, sharedInOrder, sharedWithOne } from "#store/sharing/shares";
import { inScope, type ListScope } from "#store/sharing/list-scope";
import { toRun, type Run, RUN_COLUMNS } from "#store/runs/runs";
import { CURRENT_STATUSES, RUN_STATUSES, type RunStatus } from "#workflow/run/run-status";

export interface RunFilter {
  /** The user who lists runs. */
  readonly userId: string;
  /** Defaults to the user's own runs, shared or not. */
  readonly scope?: ListScope;
  /** Undefined means all statuses except `deleted`. */
  readonly statuses?: readonly RunStatus[];
  /** Part of the name, ignoring case. */
  readonly nameContains?: string;
  readonly name?: string;
  readonly id?: string;
  /** Excludes runs created earlier than this time. */
  readonly createdSinceMs?: number;
  /** Tag of the run's owner. */
  readonly tag?: string;
  /** Lines of parameters. A run has one of each group. Give a name, too: the definitions of all its runs are read. */
  readonly parameterLines?: readonly (readonly string[])[];
}

export interface RunPage {
  readonly newestFirst: boolean;
  readonly offset: number;
  readonly limit: number;
}

const OWN: ListScope = { kind: "own" };

export async function listRuns(db: Connection, filter: RunFilter, page: RunPage): Promise<Run[]> {
  const wanted = wantedOf(filter);
  return (await rowsOf(db, wanted, page)).map(toRun);
}

async function rowsOf(db: Connection, wanted: Wanted, page: RunPage) {
  if (isPlain(wanted)) return readPlain(db, wanted, page);
  if (isReadableAndPlain(wanted)) return readReadable(db, wanted, page);
  return pageOf(db, wanted, page).execute();
}

/** Counts the listed runs. Uses the maintained totals unless a name, an id or a time narrows the list. */
export async function countRuns(db: Connection, filter: RunFilter): Promise<number> {
  const wanted = wantedOf(filter);
  const { userId, scope, statuses } = wanted;
  const isAlone = isReadableAndPlain(wanted) && wanted.scope.granteeIds.length === 1;
  if (isAlone) return Number((await readableOfOne(db, { userId, nowMs: wanted.scope.nowMs })).rows[0]!.total);
  if (isNarrowed(wanted) || (scope.kind !== "own" && scope.kind !== "readable")) return countRows(db, wanted);
  const own = await countInStatuses(db, userId, statuses);
  if (scope.kind === "own") return own;
  if (isCurrent(statuses)) return own + (await countShared(db, { userId, ...scope }, scope.nowMs));
  return own + (await countRows(db, { ...wanted, scope: othersOf(scope) }));
}

/** Counts the current runs of a user without groups, and those that are shared with the user. */
const readableOfOne = fixedQuery((db, { userId, nowMs }: { userId: string; nowMs: number }) => {
  const own = db
    .selectFrom("run_counts")
    .select(sql<number | string>`coalesce(sum(total), 0)`.as("own"))
    .where("owner_id", "=", userId)
    .where("status", "!=", sql.lit("deleted"));
  return db.selectNoFrom(
    sql<number | string>`(${own}) + ${sharedWithOne(db, { userId, nowMs })}`.as("total"),
  );
});

async function countRows(db: Connection, wanted: Wanted): Promise<number> {
  const row = await matching(db, wanted, wanted.statuses)
    .select((expression) => expression.fn.countAll<number | string>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

function othersOf(scope: Readable): ListScope {
  return { ...scope, kind: "others" };
}

/** Selects all runs that match the filter, in no order. */
export function matchingRuns(db: Connection, filter: RunFilter) {
  const wanted = wantedOf(filter);
  return matching(db, wanted, wanted.statuses);
}

/** Number of rows that a stream reads at a time. */
const CHUNK = 500;

/** Yields all runs of a list in chunks, for streaming lists of any length. */
export async function* streamRuns(
  db: Connection,
  filter: RunFilter,
  newestFirst: boolean,
): AsyncGenerator<Run[]> {
  const wanted = wantedOf(filter);
  let last: number | undefined;
  for (;;) {
    const query = pageOf(db, wanted, { newestFirst, offset: 0, limit: CHUNK }, last);
    const rows = await query.execute();
    if (rows.length > 0) yield rows.map(toRun);
    if (rows.length < CHUNK) return;
    last = rows.at(-1)!.seq;
  }
}

/** A filter with an explicit scope and explicit statuses, each once and always in the same order. */
type Wanted = RunFilter & { readonly statuses: readonly RunStatus[]; readonly scope: ListScope };

function wantedOf(filter: RunFilter): Wanted {
  const statuses = filter.statuses ?? CURRENT_STATUSES;
  return { scope: OWN, ...filter, statuses: RUN_STATUSES.filter((status) => statuses.includes(status)) };
}

/**
 * Returns whether the list is all current runs of the user's own. reana-client requests the same list by naming every
 * status but `deleted`.
 */
function isPlain(wanted: Wanted): boolean {
  return wanted.scope.kind === "own" && isCurrent(wanted.statuses) && !isNarrowed(wanted);
}

/** Returns whether the list is all current runs that the user may read. */
function isReadableAndPlain(wanted: Wanted): wanted is Wanted & { readonly scope: Readable } {
  return wanted.scope.kind === "readable" && isCurrent(wanted.statuses) && !isNarrowed(wanted);
}

/** Returns whether more than the statuses chooses the runs. */
function isNarrowed({ nameContains, name, id, createdSinceMs, tag, parameterLines }: Wanted): boolean {
  return [nameContains, name, id, createdSinceMs, tag, parameterLines].some((value) => value !== undefined);
}

function isCurrent(statuses: readonly RunStatus[]): boolean {
  return statuses.length === CURRENT_STATUSES.length && !statuses.includes("deleted");
}

async function readPlain(db: Connection, { userId }: Wanted, { newestFirst, offset, limit }: RunPage) {
  const read = newestFirst ? readNewestFirst : readOldestFirst;
  return (await read(db, { userId, offset, limit })).rows;
}

interface PlainPage {
  readonly userId: string;
  readonly offset: number;
  readonly limit: number;
}

const readNewestFirst = fixedQuery((db, { userId, offset, limit }: PlainPage) =>
  pageOf(db, { userId, scope: OWN, statuses: CURRENT_STATUSES }, { newestFirst: true, offset, limit }),
);

const readOldestFirst = fixedQuery((db, { userId, offset, limit }: PlainPage) =>
  pageOf(db, { userId, scope: OWN, statuses: CURRENT_STATUSES }, { newestFirst: false, offset, limit }),
);

type Readable = Extract<ListScope, { readonly kind: "readable" }>;

async function readReadable(
  db: Connection,
  { userId, scope: { granteeIds, nowMs } }: { readonly userId: string; readonly scope: Readable },
  { newestFirst, offset, limit }: RunPage,
) {
  const kept = (newestFirst ? newestReadable : oldestReadable)[granteeIds.length];
  const given = Object.fromEntries(granteeIds.map((id, index) => [granteeName(index), id]));
  if (kept) return (await kept(db, { ...given, userId, nowMs, offset, limit })).rows;
  const wanted = {
    userId,
    scope: { kind: "readable", granteeIds, nowMs },
    statuses: CURRENT_STATUSES,
  } as const;
  return pageOf(db, wanted, { newestFirst, offset, limit }).execute();
}

/**
 * Queries for users who belong to up to seven groups, by the number of ids under which runs are shared with them.
 * Building the text takes longer than reading a page of 20 (measured: 200 and 60 microseconds).
 */
const KEPT_GRANTEES = 8;
const newestReadable = Array.from({ length: KEPT_GRANTEES + 1 }, (_, count) => readablePage(count, true));
const oldestReadable = Array.from({ length: KEPT_GRANTEES + 1 }, (_, count) => readablePage(count, false));

function granteeName(index: number): `grantee${number}` {
  return `grantee${index}`;
}

function readablePage(count: number, newestFirst: boolean) {
  return fixedQuery(
    (db, given: PlainPage & { readonly nowMs: number; readonly [id: `grantee${number}`]: string }) => {
      const { userId, nowMs, offset, limit } = given;
      const granteeIds = Array.from({ length: count }, (_, index) => given[granteeName(index)]!);
      const scope = { kind: "readable", granteeIds, nowMs } as const;
      return pageOf(db, { userId, scope, statuses: CURRENT_STATUSES }, { newestFirst, offset, limit });
    },
  );
}

/**
 * Selects one page in order of creation, from an index in that order. Several statuses have no common index: each is
 * read in its own order and the results are merged, which stops at the end of the page. Ten live runs among
 * 100,000 are found without reading the others, and no page sorts. Runs of others are one part more.
 */
function pageOf(db: Connection, wanted: Wanted, page: RunPage, after?: number) {
  const direction = page.newestFirst ? "desc" : "asc";
  const beyond =
    after === undefined ? undefined : ({ side: page.newestFirst ? "<" : ">", seq: after } as const);
  const [first, ...others] = partsOf(wanted).map((part) => {
    const query = matching(db, part, part.statuses);
    return beyond ? query.where("seq", beyond.side, beyond.seq) : query;
  });
  const shared = isReadableAndPlain(wanted)
    ? sharedInOrder(db, { userId: wanted.userId, ...wanted.scope, beyond })
    : [];
  if (others.length + shared.length === 0) {
    const query = first!.select(RUN_COLUMNS).orderBy("seq", direction);
    return query.limit(page.limit).offset(page.offset);
  }
  let merged = first!.select("seq");
  for (const other of others) merged = merged.unionAll(other.select("seq"));
  for (const part of shared) merged = merged.unionAll(part);
  return db
    .selectFrom("runs")
    .select(RUN_COLUMNS)
    .where("seq", "in", merged.orderBy("seq", direction).limit(page.limit).offset(page.offset))
    .orderBy("seq", direction);
}

/**
 * Divides a list into parts without common runs, each of which an index has in order of creation. The list of all
 * current runs that a user may read has only the user's own runs here: `sharedInOrder` reads the shared ones.
 */
function partsOf(wanted: Wanted): Wanted[] {
  const { scope } = wanted;
  if (isReadableAndPlain(wanted)) return partsOf({ ...wanted, scope: OWN });
  if (scope.kind !== "readable") return groupsOf(wanted).map((statuses) => ({ ...wanted, statuses }));
  return [...partsOf({ ...wanted, scope: OWN }), { ...wanted, scope: othersOf(scope) }];
}

/** Groups the statuses by the index with the runs in order of creation. */
function groupsOf({ statuses, id, name }: Wanted): (readonly RunStatus[])[] {
  if (id !== undefined || name !== undefined || statuses.length < 2) return [statuses];
  if (CURRENT_STATUSES.every((status) => statuses.includes(status))) {
    return statuses.includes("deleted") ? [CURRENT_STATUSES, ["deleted"]] : [CURRENT_STATUSES];
  }
  return statuses.map((status) => [status]);
}

function matching(
  db: Connection,
  { userId, scope, id, name, nameContains, createdSinceMs, tag, parameterLines = [] }: Wanted,
  statuses: readonly RunStatus[],
) {
  let query = db.selectFrom("runs").where(inScope(userId, scope)).where(inStatuses(statuses));
  if (id !== undefined) query = query.where("id", "=", id);
  if (name !== undefined) query = query.where("name", "=", name);
  if (createdSinceMs !== undefined) query = query.where("created_at", ">=", createdSinceMs);
  if (nameContains !== undefined) query = query.where(containsText(sql`name`, nameContains));
  if (tag !== undefined)
    query = query.where("seq", "in", db.selectFrom("run_tags").select("run_seq").where("tag", "=", tag));
  for (const lines of parameterLines) query = query.where(hasOneOf(lines));
  return query;
}

/** Both databases compare the texts of `replace` exactly; `like` would ignore case in SQLite. */
function hasOneOf(lines: readonly string[]): RawBuilder<SqlBool> {
  const listed = sql`(select listed_parameters from run_definitions where run_seq = seq)`;
  const has = lines.map((line) => sql<SqlBool>`${listed} != replace(${listed}, ${line}, '')`);
  return sql<SqlBool>`(${sql.join(has, sql` or `)})`;
}

/**
 * Writes `status != 'deleted'` into the query text, not as a value, so that the partial indexes of current runs are
 * used.
 */
function inStatuses(statuses: readonly RunStatus[]): RawBuilder<SqlBool> {
  const [first, second] = statuses;
  if (first === undefined) return sql`false`;
  if (second === undefined) return sql`status = ${first}`;
  if (isCurrent(statuses)) return sql`status != 'deleted'`;
  const isAny = sql<SqlBool>`status in (${sql.join([...statuses])})`;
  return statuses.includes("deleted") ? isAny : sql`status != 'deleted' and ${isAny}`;
}

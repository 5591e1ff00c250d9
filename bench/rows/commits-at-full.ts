import { randomUUID } from "node:crypto";
import { fdatasync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { sql } from "kysely";
import { type Connection, migrate, transaction } from "../../server/src/store/database/database.ts";
import { openSqlite } from "../../server/src/store/dialects/sqlite.ts";
import { insertUser } from "../../server/src/store/users/users.ts";
import { insertRun } from "../../server/src/store/runs/runs.ts";
import { ratioInTurns } from "../support/rounds.ts";
import { removeFolder, temporaryFolder } from "../support/server-process.ts";
import { atLeast, type Row } from "../support/table.ts";

const COMMITS = 3000;
const AT_ONCE = 32;
const onDisk = promisify(fdatasync);

/** Measures the store alone: shared syncs against SQLite's own, one for each commit. */
export async function commitsAtFull(): Promise<Row> {
  const folder = await temporaryFolder();
  let syncs = 0;
  const syncFile = (fd: number) => {
    syncs += 1;
    return onDisk(fd);
  };
  const shared = openSqlite(path.join(folder, "shared.sqlite"), "full", undefined, { syncFile });
  const plain = openSqlite(path.join(folder, "plain.sqlite"), "normal");
  await sql`pragma synchronous = FULL`.execute(plain);
  const [ours, theirs] = [await commitsPerSecond(shared), await commitsPerSecond(plain)];
  const { ratio, detail } = await ratioInTurns(ours, theirs);
  await shared.destroy();
  await plain.destroy();
  await removeFolder(folder);
  // Six rounds, including a warm-up round.
  const perCommit = (syncs / (6 * COMMITS)).toFixed(2);
  return atLeast(
    "commits at full, 32 at once, a second",
    "the same store with synchronous=FULL",
    ratio,
    1.2,
    `${detail}; ${perCommit} syncs a commit`,
  );
}

async function commitsPerSecond(db: Connection): Promise<() => Promise<number>> {
  await migrate(db);
  const ownerId = randomUUID();
  await insertUser(db, { id: ownerId, email: "a@b.c", isAdmin: false, disabledAtMs: null, createdAtMs: 0 });
  return async () => {
    const began = performance.now();
    let count = 0;
    const client = async () => {
      while (count < COMMITS) {
        count += 1;
        await transaction(db, (connection) => insertRun(connection, newRun(ownerId)));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    return (COMMITS / (performance.now() - began)) * 1000;
  };
}

function newRun(ownerId: string) {
  const specification = {
    workflow: { type: "serial", specification: { steps: [{ commands: ["true"] }] } },
  } as const;
  return {
    id: randomUUID(),
    ownerId,
    workspaceId: randomUUID(),
    name: "w",
    language: "serial",
    specification,
    launcherUrl: null,
    createdAtMs: 0,
  } as const;
}

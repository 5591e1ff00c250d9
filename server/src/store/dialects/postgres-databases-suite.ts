import { mkdtemp, rm } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { sql } from "kysely";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import { systemRandom } from "#plumbing/ids";
import { migrate } from "#store/database/database";
import { openPostgres } from "#store/dialects/postgres";
import { type PostgresServer, startPostgresServer } from "#store/dialects/postgres-server-suite";
import { migrations } from "#store/migrations/index";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the socket that returns the address of the server shared by all test files. */
    postgresSocket: string;
  }
}

/** A database with empty tables. */
export interface TestDatabase {
  readonly url: string;
  /** Returns the database for use by the next test, unless this test has changed its tables. */
  giveBack(): Promise<void>;
}

const TEMPLATE = "reprise_template";

/**
 * For vitest's `globalSetup`: one server for all test files of a run, started at the first request. Most
 * short runs need no server.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-pg-shared-"));
  const socket = path.join(folder, "socket");
  let started: Promise<PostgresServer> | undefined;
  const answering = net.createServer((connection) => {
    started ??= startWithTemplate();
    started.then(
      (server) => connection.end(server.url("DATABASE")),
      (error: unknown) => connection.destroy(error as Error),
    );
  });
  await new Promise<void>((resolve) => answering.listen(socket, resolve));
  project.provide("postgresSocket", socket);
  return async () => {
    answering.close();
    await (await started)?.remove();
    await rm(folder, { recursive: true });
  };
}

async function startWithTemplate(): Promise<PostgresServer> {
  const server = await startPostgresServer();
  await createDatabase(server.url(), TEMPLATE, "template1");
  const db = openPostgres(server.url(TEMPLATE));
  await migrate(db);
  await db.destroy();
  return server;
}

let sharedUrl: Promise<string> | undefined;
/** Returned databases, emptied: emptying a database is faster than creating a database. */
const spare: string[] = [];

export async function openTestDatabase(): Promise<TestDatabase> {
  const url = spare.pop() ?? (await makeDatabase());
  return {
    url,
    async giveBack() {
      if (await emptied(url)) spare.push(url);
    },
  };
}

/** Creates a database for one test. `template1` has no tables. `more` is appended to the statement. */
export async function makeDatabase(template = TEMPLATE, more = sql``): Promise<string> {
  const name = `test_${systemRandom.uuid()}`;
  await createDatabase(await urlOf("postgres"), name, template, more);
  return urlOf(name);
}

async function createDatabase(url: string, name: string, template: string, more = sql``): Promise<void> {
  const db = openPostgres(url);
  await sql`create database ${sql.id(name)} template ${sql.id(template)}${more}`.execute(db);
  await db.destroy();
}

async function urlOf(database: string): Promise<string> {
  sharedUrl ??= text(net.connect(inject("postgresSocket")));
  return (await sharedUrl).replace("DATABASE", database);
}

async function emptied(url: string): Promise<boolean> {
  const db = openPostgres(url);
  try {
    const done = await db.selectFrom("migrations").select("name").execute();
    if (done.map((row) => row.name).join() !== Object.keys(migrations).join()) return false;
    const tables = (await db.introspection.getTables()).filter((table) => table.name !== "migrations");
    const names = tables.map((table) => sql.id(table.name));
    await sql`truncate ${sql.join(names)} restart identity`.execute(db);
    return true;
  } finally {
    await db.destroy();
  }
}

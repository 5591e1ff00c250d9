import { mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from "fastify";
import { refusalStatuses } from "#api/http/refusals";
import type { Route } from "#api/http/endpoint";
import { ROUTES } from "#api/routes";
import { buildServer, type ServerConfig } from "#api/server";
import { expect } from "vitest";
import { isLoopback } from "#config/open-host";
import type { Engine } from "#engines/engine";
import { serialEngine } from "#engines/serial/serial-engine";
import { type EngineRuntime, inProcessRuntime } from "#runner/engine-runtime";
import { openUserSecrets } from "#runner/user-secrets";
import type { Operations } from "#operations/context";
import { createUser } from "#operations/users/create-user";
import { disableUser } from "#operations/users/disable-user";
import { issueToken } from "#operations/users/issue-token";
import { makeAdministrator } from "#operations/users/make-administrator";
import { type Clock, systemClock } from "#plumbing/clock";
import { cachingLogTails } from "#operations/watch/log-tail-cache";
import { JobStandings } from "#operations/watch/job-standings";
import { RunGraphs } from "#operations/watch/run-graphs";
import { createWatching } from "#operations/watch/watching";
import type { DiskSpace } from "#plumbing/disk-space";
import { systemRandom } from "#plumbing/ids";
import { createLog } from "#plumbing/log";
import { createSeal } from "#plumbing/seal";
import { createScheduler } from "#scheduler/scheduler";
import { openBundles } from "#sources/bundle";
import { openGitSource } from "#sources/git-source";
import type { Connection } from "#store/database";
import { requestStop } from "#store/runs";
import { listen } from "#store/wake-ups";
import type { Language } from "#workflow/language";
import { openUploads } from "#workspace/uploads";
import { openWorkspaces } from "#workspace/workspaces";
import { openDatabaseUnderTest } from "./database.ts";
import { fakeBackend } from "./fake-backend.ts";
import { fakeDisk } from "./fake-disk.ts";
import { recordReply, recordStatus } from "./record-replies.ts";

/** The HTTP room over real operations, a database, a temporary folder, and jobs that a test ends itself. */
export interface ApiFixture {
  readonly app: FastifyInstance;
  readonly routes: readonly Route[];
  readonly operations: Operations;
  readonly backend: ReturnType<typeof fakeBackend>;
  readonly adminToken: string;
  readonly admin: FixtureUser;
  /** All logged lines. */
  readonly logged: string[];
  /** Sends a request without a network. */
  inject(request: InjectOptions | string): Promise<LightMyRequestResponse>;
  /** Listens on a free port of this machine, once. Returns a URL such as `http://127.0.0.1:12345`. */
  listen(): Promise<string>;
  makeUser(email?: string): Promise<FixtureUser>;
  /** Creates a user whose token is known but revoked. */
  makeRevokedUser(): Promise<FixtureUser>;
  makeDisabledUser(): Promise<FixtureUser>;
  close(): Promise<void>;
}

export interface FixtureUser {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

export interface ApiFixtureOptions {
  readonly config?: Partial<ServerConfig>;
  /** Parts that replace the real ones. */
  readonly operations?: Partial<Operations>;
  readonly disk?: DiskSpace;
  /** Routes that replace the table's. */
  readonly routes?: readonly Route[];
}

export const FIXTURE_VERSION = "1.2.3-test";

export async function apiFixture(options: ApiFixtureOptions = {}): Promise<ApiFixture> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-api-"));
  const logged: string[] = [];
  const log = createLog({ level: "debug", destination: { write: (line) => void logged.push(line) } });
  const backend = fakeBackend();
  const store = await openDatabaseUnderTest();
  const real = await realOperations({ folder, backend, log, db: store.db, disk: options.disk ?? fakeDisk() });
  const operations = { ...real, ...options.operations };
  await operations.scheduler.start();
  const stopListening = listen(operations.db, operations.watching);
  const { admin, token: adminToken } = await makeAdministrator(operations, {
    email: "admin@localhost",
    token: undefined,
  });
  const { routes = ROUTES } = options;
  const undeclared: string[] = [];
  const app = buildServer({
    operations,
    log,
    version: FIXTURE_VERSION,
    config: { host: "127.0.0.1", maxJsonBytes: 1024 * 1024, maxStreamsPerUser: 500, ...options.config },
    isLoopback,
    routes,
  });
  // A test's own routes may refuse with any status.
  if (routes === ROUTES) collectUndeclared(app, undeclared);
  let users = 0;
  const makeUser = async (email = `user-${(users += 1)}@example.org`) => {
    const user = await createUser(operations, { email });
    return { id: user.id, email, token: user.accessToken };
  };
  return {
    app,
    routes,
    operations,
    backend,
    adminToken,
    admin: { id: admin.id, email: admin.email, token: adminToken },
    logged,
    async inject(request) {
      const reply = await app.inject(request);
      expect(undeclared).toEqual([]);
      recordReply(reply);
      return reply;
    },
    listen: () => app.listen({ host: "127.0.0.1", port: 0 }),
    makeUser,
    async makeRevokedUser() {
      const user = await makeUser();
      await issueToken(operations, { user: user.id, revokeOthers: true });
      return user;
    },
    async makeDisabledUser() {
      const user = await makeUser();
      await disableUser(operations, user.id);
      return user;
    },
    async close() {
      await app.close();
      expect(undeclared).toEqual([]);
      await stopListening();
      await operations.scheduler.close({ stopJobs: false });
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Records each reply with a status that the OpenAPI document does not declare for its operation. */
function collectUndeclared(app: FastifyInstance, undeclared: string[]): void {
  app.addHook("onResponse", (request, reply, done) => {
    const { route } = request.routeOptions.config;
    if (route) recordStatus(route.operation, reply.statusCode);
    if (route && !isDeclared(route, reply.statusCode))
      undeclared.push(`${route.operation} does not declare ${reply.statusCode}`);
    done();
  });
}

function isDeclared(route: Route, status: number): boolean {
  // Refused before an operation is known: no Host header, or one of another machine.
  return status === 421 || status in route.schema.response || refusalStatuses(route).includes(status);
}

interface RealParts {
  readonly folder: string;
  readonly backend: ReturnType<typeof fakeBackend>;
  readonly log: ReturnType<typeof createLog>;
  readonly db: Connection;
  readonly disk: DiskSpace;
}

async function realOperations({ folder, backend, log, db, disk }: RealParts): Promise<Operations> {
  const [clock, random] = [neverTwice(systemClock), systemRandom];
  await mkdir(path.join(folder, "workspaces"));
  await mkdir(path.join(folder, "incoming"));
  const workspaces = openWorkspaces({
    folder: path.join(folder, "workspaces"),
    incomingFolder: path.join(folder, "incoming"),
    fsync: false,
    random,
    clock: systemClock,
  });
  const { readLog: read, logSize: size, remove } = backend;
  const jobLogs = cachingLogTails({ read, size, remove });
  await mkdir(path.join(folder, "uploads"));
  const uploads = openUploads({ folder: path.join(folder, "uploads"), clock: systemClock, fsync: false });
  const engines = new Map<Language, Engine>([["serial", serialEngine]]);
  const hosts = new Map<Language, EngineRuntime>([["serial", inProcessRuntime(serialEngine)]]);
  const tokenSeal = createSeal(Buffer.alloc(32, 1), random);
  const secrets = openUserSecrets(db, tokenSeal);
  const scheduler = createScheduler({
    runner: { db, clock, engines: hosts, backend, workspaces, bootId: "boot", secrets },
    clock,
    host: { id: "host", name: "host" },
    limits: { maxRunsAtOnce: 4, maxRunsPerUser: 4, capacity: { cores: 100, memoryBytes: 2 ** 40 } },
    disk,
    requestStop: (id) => requestStop(db, id, clock.now()),
    log,
  });
  return {
    db,
    clock,
    random,
    tokenSeal,
    secrets,
    workspaces,
    uploads,
    git: openGitSource({
      httpHosts: [],
      privateHosts: [],
      maxBytes: 1e6,
      maxFiles: 100,
      timeoutMs: 2000,
      tempFolder: folder,
    }),
    bundles: openBundles({ folder: path.join(folder, "incoming"), random }),
    scheduler,
    disk,
    jobLogs,
    jobStandings: new JobStandings(db),
    graphs: new RunGraphs(db, hosts),
    watching: createWatching({ db, clock, jobLogs, scheduler, log }),
    engines,
    capabilities: { languages: ["serial"], computeBackends: ["kubernetes"] },
    limits: { maxLogBytesInReply: 1024 * 1024, maxRunsAtOnce: 4, cores: 100 },
  };
}

/** Returns a clock whose times differ by at least 1 ms, so that what is created one after the other has an order. */
function neverTwice(clock: Clock): Clock {
  let lastMs = 0;
  return { ...clock, now: () => (lastMs = Math.max(lastMs + 1, clock.now())) };
}

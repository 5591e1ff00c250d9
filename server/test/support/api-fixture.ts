import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from "fastify";
import { refusalStatuses } from "#api/http/document/refusals";
import type { Route } from "#api/http/endpoint";
import { ROUTES } from "#api/routes";
import { buildServer, type ServerConfig } from "#api/server";
import { expect } from "vitest";
import type { ServerParts } from "#app/server-parts";
import type { Operations } from "#operations/operations";
import { createUser } from "#operations/users/create-user";
import { disableUser } from "#operations/users/accounts";
import { issueToken } from "#operations/users/tokens";
import { makeAdministrator } from "#operations/users/make-administrator";
import { type Clock, systemClock } from "#plumbing/clock";
import type { AuditLog } from "#plumbing/audit-log";
import { createLog } from "#plumbing/log";
import { quietInOutages } from "#plumbing/outages";
import { balancerOf, composeServers, listenAsBalancer } from "./balancer.ts";
import { openDatabaseUnderTest } from "./database.ts";
import { fakeBackend } from "./fakes/fake-backend.ts";
import { recordReply, recordStatus } from "./record-replies.ts";
import { openParts } from "./server-parts.ts";

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
  /** Listens on a free local port, once. Returns a URL such as `http://127.0.0.1:12345`. */
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
  /** Replacements for the fixture's parts. */
  readonly parts?: Partial<ServerParts>;
  /** Replacements for parts of the composed operations. With a scheduler, the server's own one is not started. */
  readonly operations?: Partial<Operations>;
  readonly audit?: AuditLog;
  /** Replaces the route table. */
  readonly routes?: readonly Route[];
}

export const FIXTURE_VERSION = "1.2.3-test";

export async function apiFixture(options: ApiFixtureOptions = {}): Promise<ApiFixture> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-api-"));
  const logged: string[] = [];
  const destination = { write: (line: string) => void logged.push(line) };
  const log = quietInOutages(createLog({ level: "debug", destination }));
  const backend = fakeBackend();
  const store = await openDatabaseUnderTest();
  const clock = neverTwice(systemClock);
  const parts = await openParts(folder, { db: store.db, clock, backends: [backend], log });
  const servers = composeServers(folder, parts, options.parts ?? {});
  const ofEach = servers.map((server) => ({ ...server.operations, ...options.operations }));
  const operations = ofEach[0]!;
  if (!options.operations?.scheduler) for (const server of servers) await server.start();
  const { admin, token: adminToken } = await makeAdministrator(operations, {
    email: "admin@localhost",
    token: undefined,
  });
  const { routes = ROUTES } = options;
  const undeclared: string[] = [];
  const config = { host: "127.0.0.1", maxJsonBytes: 1024 * 1024, maxStreamsPerUser: 500, ...options.config };
  const apps = ofEach.map((each) =>
    buildServer({ operations: each, log, version: FIXTURE_VERSION, audit: options.audit, config, routes }),
  );
  const pick = balancerOf(apps);
  // A test's own routes may refuse with any status.
  if (routes === ROUTES) for (const app of apps) collectUndeclared(app, undeclared);
  let balancer: Awaited<ReturnType<typeof listenAsBalancer>> | undefined;
  let users = 0;
  const makeUser = async (email = `user-${(users += 1)}@example.org`) => {
    const user = await createUser(operations, { email });
    return { id: user.id, email, token: user.accessToken };
  };
  return {
    app: apps[0]!,
    routes,
    operations,
    backend,
    adminToken,
    admin: { id: admin.id, email: admin.email, token: adminToken },
    logged,
    async inject(request) {
      const reply = await pick().inject(request);
      expect(undeclared).toEqual([]);
      recordReply(reply);
      return reply;
    },
    async listen() {
      const urls = await Promise.all(apps.map((app) => app.listen({ host: "127.0.0.1", port: 0 })));
      if (urls.length === 1) return urls[0]!;
      balancer = await listenAsBalancer(balancerOf(urls));
      return balancer.url;
    },
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
      await balancer?.close();
      await Promise.all(apps.map((app) => app.close()));
      expect(undeclared).toEqual([]);
      await Promise.all(servers.map((server) => server.close({ stopJobs: false })));
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

/**
 * Returns a clock whose times differ by at least 1 ms, so that records created in sequence have distinct
 * times.
 */
function neverTwice(clock: Clock): Clock {
  let lastMs = 0;
  return { ...clock, now: () => (lastMs = Math.max(lastMs + 1, clock.now())) };
}

import { createUserEndpoint } from "#api/create-user";
import { disableUserEndpoint } from "#api/disable-user";
import { enableUserEndpoint } from "#api/enable-user";
import { findUsersEndpoint } from "#api/find-users";
import { getHealthEndpoint } from "#api/get-health";
import { getOpenApiEndpoint } from "#api/get-open-api";
import { getReadinessEndpoint } from "#api/get-readiness";
import { issueTokenEndpoint } from "#api/issue-token";
import { listUsersEndpoint } from "#api/list-users";
import { pingEndpoint } from "#api/ping";
import type { Endpoint } from "#api/route";

/** All endpoints, in plain sight. */
export const ROUTES: readonly Endpoint[] = [
  pingEndpoint, //            GET  /api/ping
  findUsersEndpoint, //       GET  /api/users
  createUserEndpoint, //      POST /api/users

  listUsersEndpoint, //       GET  /api/admin/users
  issueTokenEndpoint, //      POST /api/admin/users/{user}/tokens
  disableUserEndpoint, //     POST /api/admin/users/{user}/disable
  enableUserEndpoint, //      POST /api/admin/users/{user}/enable

  getOpenApiEndpoint, //      GET  /api/openapi.json
  getHealthEndpoint, //       GET  /healthz
  getReadinessEndpoint, //    GET  /readyz
];

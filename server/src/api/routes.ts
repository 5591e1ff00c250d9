import { changeStatusEndpoint } from "#api/change-status";
import { createUserEndpoint } from "#api/create-user";
import { createWorkflowEndpoint } from "#api/create-workflow";
import { disableUserEndpoint } from "#api/disable-user";
import { enableUserEndpoint } from "#api/enable-user";
import { findUsersEndpoint } from "#api/find-users";
import { getHealthEndpoint } from "#api/get-health";
import { getLogsEndpoint } from "#api/get-logs";
import { getOpenApiEndpoint } from "#api/get-open-api";
import { getReadinessEndpoint } from "#api/get-readiness";
import { getStatusEndpoint } from "#api/get-status";
import { issueTokenEndpoint } from "#api/issue-token";
import { listUsersEndpoint } from "#api/list-users";
import { listWorkflowsEndpoint } from "#api/list-workflows";
import { pingEndpoint } from "#api/ping";
import type { Endpoint } from "#api/route";

/** All endpoints, in plain sight. */
export const ROUTES: readonly Endpoint[] = [
  pingEndpoint, //            GET  /api/ping
  findUsersEndpoint, //       GET  /api/users
  createUserEndpoint, //      POST /api/users

  listWorkflowsEndpoint, //   GET  /api/workflows
  createWorkflowEndpoint, //  POST /api/workflows
  getLogsEndpoint, //         GET  /api/workflows/{workflow_id_or_name}/logs
  getStatusEndpoint, //       GET  /api/workflows/{workflow_id_or_name}/status
  changeStatusEndpoint, //    PUT  /api/workflows/{workflow_id_or_name}/status

  listUsersEndpoint, //       GET  /api/admin/users
  issueTokenEndpoint, //      POST /api/admin/users/{user}/tokens
  disableUserEndpoint, //     POST /api/admin/users/{user}/disable
  enableUserEndpoint, //      POST /api/admin/users/{user}/enable

  getOpenApiEndpoint, //      GET  /api/openapi.json
  getHealthEndpoint, //       GET  /healthz
  getReadinessEndpoint, //    GET  /readyz
];

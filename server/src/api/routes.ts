import { abandonUploadEndpoint } from "#api/files/abandon-upload";
import { beginUploadEndpoint } from "#api/files/begin-upload";
import { completeUploadEndpoint } from "#api/files/complete-upload";
import { deleteFilesEndpoint } from "#api/files/delete-files";
import { diskUsageEndpoint } from "#api/files/disk-usage";
import { downloadFileEndpoint } from "#api/files/download-file";
import { downloadFilesEndpoint } from "#api/files/download-files";
import { listFilesEndpoint } from "#api/files/list-files";
import { listRetentionRulesEndpoint } from "#api/files/list-retention-rules";
import { lookAtUploadEndpoint } from "#api/files/look-at-upload";
import { moveFilesEndpoint } from "#api/files/move-files";
import { pruneWorkspaceEndpoint } from "#api/files/prune-workspace";
import { takePartEndpoint } from "#api/files/take-part";
import { uploadFileEndpoint } from "#api/files/upload-file";
import { uploadFilesEndpoint } from "#api/files/upload-files";
import type { Endpoint } from "#api/http/route";
import { changeStatusEndpoint } from "#api/runs/change-status";
import { closeSessionEndpoint } from "#api/runs/close-session";
import { compareRunsEndpoint } from "#api/runs/compare-runs";
import { createWorkflowEndpoint } from "#api/runs/create-workflow";
import { diffWorkflowsEndpoint } from "#api/runs/diff-workflows";
import { getParametersEndpoint } from "#api/runs/get-parameters";
import { getRestartPlanEndpoint } from "#api/runs/get-restart-plan";
import { getSessionSecretEndpoint } from "#api/runs/get-session-secret";
import { getSpecificationEndpoint } from "#api/runs/get-specification";
import { launchWorkflowEndpoint } from "#api/runs/launch-workflow";
import { listActionsEndpoint } from "#api/runs/list-actions";
import { listWorkflowsEndpoint } from "#api/runs/list-workflows";
import { openSessionEndpoint } from "#api/runs/open-session";
import { planRestartEndpoint } from "#api/runs/plan-restart";
import { replaceWorkflowEndpoint } from "#api/runs/replace-workflow";
import { rerunWorkflowEndpoint } from "#api/runs/rerun-workflow";
import { startWorkflowEndpoint } from "#api/runs/start-workflow";
import { validateSpecificationEndpoint } from "#api/runs/validate-specification";
import { drainEndpoint } from "#api/service/drain";
import { endDrainEndpoint } from "#api/service/end-drain";
import { getClusterStatusEndpoint } from "#api/service/get-cluster-status";
import { getConfigEndpoint } from "#api/service/get-config";
import { getDocsEndpoint } from "#api/service/get-docs";
import { getDrainEndpoint } from "#api/service/get-drain";
import { getHealthEndpoint } from "#api/service/get-health";
import { getInfoEndpoint } from "#api/service/get-info";
import { getOpenApiEndpoint } from "#api/service/get-open-api";
import { getReadinessEndpoint } from "#api/service/get-readiness";
import { pingEndpoint } from "#api/service/ping";
import { getShareStatusEndpoint } from "#api/sharing/get-share-status";
import {
  listUsersSharedWithYouEndpoint,
  listUsersYouSharedWithEndpoint,
} from "#api/sharing/list-sharing-users";
import { shareWorkflowEndpoint } from "#api/sharing/share-workflow";
import { unshareWorkflowEndpoint } from "#api/sharing/unshare-workflow";
import { addSecretsEndpoint } from "#api/users/add-secrets";
import { createUserEndpoint } from "#api/users/create-user";
import { deleteSecretsEndpoint } from "#api/users/delete-secrets";
import { disableUserEndpoint } from "#api/users/disable-user";
import { enableUserEndpoint } from "#api/users/enable-user";
import { findUsersEndpoint } from "#api/users/find-users";
import { getQuotaEndpoint } from "#api/users/get-quota";
import { getYouEndpoint } from "#api/users/get-you";
import { issueTokenEndpoint } from "#api/users/issue-token";
import { listSecretsEndpoint } from "#api/users/list-secrets";
import { listUsersEndpoint } from "#api/users/list-users";
import { requestTokenEndpoint } from "#api/users/request-token";
import { revokeTokenEndpoint } from "#api/users/revoke-token";
import { setQuotaEndpoint, setQuotaPeriodEndpoint } from "#api/users/set-quota";
import { followJobLogEndpoint } from "#api/watch/follow-job-log";
import { followRunEndpoint } from "#api/watch/follow-run";
import { getFailureEndpoint } from "#api/watch/get-failure";
import { getGraphEndpoint } from "#api/watch/get-graph";
import { getLogsEndpoint } from "#api/watch/get-logs";
import { getResultsEndpoint } from "#api/watch/get-results";
import { getStatusEndpoint } from "#api/watch/get-status";
import { getUsageEndpoint } from "#api/watch/get-usage";
import { listJobsEndpoint } from "#api/watch/list-jobs";

/** Table of all endpoints. */
export const ROUTES: readonly Endpoint[] = [
  pingEndpoint, //            GET  /api/ping
  findUsersEndpoint, //       GET  /api/users
  createUserEndpoint, //      POST /api/users

  getYouEndpoint, //          GET  /api/you
  getInfoEndpoint, //         GET  /api/info
  getConfigEndpoint, //       GET  /api/config
  getClusterStatusEndpoint, // GET /api/status
  requestTokenEndpoint, //    PUT  /api/token
  revokeTokenEndpoint, //  DELETE  /api/token
  getQuotaEndpoint, //        GET  /api/quota
  setQuotaEndpoint, //        POST /api/quota
  setQuotaPeriodEndpoint, // PATCH /api/quota
  listUsersSharedWithYouEndpoint, // GET /api/users/shared-with-you
  listUsersYouSharedWithEndpoint, // GET /api/users/you-shared-with

  listSecretsEndpoint, //     GET  /api/secrets
  addSecretsEndpoint, //      POST /api/secrets
  deleteSecretsEndpoint, // DELETE /api/secrets

  listWorkflowsEndpoint, //   GET  /api/workflows
  createWorkflowEndpoint, //  POST /api/workflows
  validateSpecificationEndpoint, // POST /api/workflows/validate
  launchWorkflowEndpoint, //  POST /api/launch
  getSpecificationEndpoint, // GET /api/workflows/{workflow_id_or_name}/specification
  getParametersEndpoint, //   GET  /api/workflows/{workflow_id_or_name}/parameters
  startWorkflowEndpoint, //   POST /api/workflows/{workflow_id_or_name}/start
  rerunWorkflowEndpoint, //   POST /api/workflows/{workflow_id_or_name}/rerun
  replaceWorkflowEndpoint, // POST /api/workflows/{workflow_id_or_name}/restart
  openSessionEndpoint, //     POST /api/workflows/{workflow_id_or_name}/open/{type}
  closeSessionEndpoint, //    POST /api/workflows/{workflow_id_or_name}/close
  getSessionSecretEndpoint, // GET /api/workflows/{workflow_id_or_name}/interactive-session-secret
  shareWorkflowEndpoint, //   POST /api/workflows/{workflow_id_or_name}/share
  unshareWorkflowEndpoint, // POST /api/workflows/{workflow_id_or_name}/unshare
  getShareStatusEndpoint, //  GET  /api/workflows/{workflow_id_or_name}/share-status
  getRestartPlanEndpoint, //  GET  /api/workflows/{workflow_id_or_name}/restart-plan
  planRestartEndpoint, //     POST /api/workflows/{workflow_id_or_name}/restart-plan
  getLogsEndpoint, //         GET  /api/workflows/{workflow_id_or_name}/logs
  getResultsEndpoint, //      GET  /api/workflows/{workflow_id_or_name}/results
  getStatusEndpoint, //       GET  /api/workflows/{workflow_id_or_name}/status
  changeStatusEndpoint, //    PUT  /api/workflows/{workflow_id_or_name}/status
  followRunEndpoint, //       GET  /api/workflows/{workflow_id_or_name}/events
  getGraphEndpoint, //        GET  /api/workflows/{workflow_id_or_name}/graph
  listActionsEndpoint, //     GET  /api/workflows/{workflow_id_or_name}/actions
  getUsageEndpoint, //        GET  /api/workflows/{workflow_id_or_name}/usage
  getFailureEndpoint, //      GET  /api/workflows/{workflow_id_or_name}/failure
  listJobsEndpoint, //        GET  /api/workflows/{workflow_id_or_name}/jobs
  followJobLogEndpoint, //    GET  /api/workflows/{workflow_id_or_name}/jobs/{job}/log
  listFilesEndpoint, //       GET  /api/workflows/{workflow_id_or_name}/workspace
  uploadFileEndpoint, //      POST /api/workflows/{workflow_id_or_name}/workspace
  beginUploadEndpoint, //     POST /api/workflows/{workflow_id_or_name}/uploads
  lookAtUploadEndpoint, //    GET  /api/workflows/{workflow_id_or_name}/uploads/{upload}
  takePartEndpoint, //        PUT  /api/workflows/{workflow_id_or_name}/uploads/{upload}
  completeUploadEndpoint, //  POST /api/workflows/{workflow_id_or_name}/uploads/{upload}/complete
  abandonUploadEndpoint, // DELETE /api/workflows/{workflow_id_or_name}/uploads/{upload}
  downloadFileEndpoint, //    GET  /api/workflows/{workflow_id_or_name}/workspace/{file_name*}
  deleteFilesEndpoint, //  DELETE  /api/workflows/{workflow_id_or_name}/workspace/{file_name*}
  uploadFilesEndpoint, //     POST /api/workflows/{workflow_id_or_name}/files
  downloadFilesEndpoint, //   GET  /api/workflows/{workflow_id_or_name}/files
  moveFilesEndpoint, //       PUT  /api/workflows/move_files/{workflow_id_or_name}
  pruneWorkspaceEndpoint, //  POST /api/workflows/{workflow_id_or_name}/prune
  listRetentionRulesEndpoint, // GET /api/workflows/{workflow_id_or_name}/retention_rules
  diskUsageEndpoint, //       GET  /api/workflows/{workflow_id_or_name}/disk_usage

  diffWorkflowsEndpoint, //   GET  /api/workflows/{workflow_id_or_name_a}/diff/{workflow_id_or_name_b}
  compareRunsEndpoint, //     GET  /api/workflows/{workflow_id_or_name}/comparison/{other}

  listUsersEndpoint, //       GET  /api/admin/users
  issueTokenEndpoint, //      POST /api/admin/users/{user}/tokens
  disableUserEndpoint, //     POST /api/admin/users/{user}/disable
  enableUserEndpoint, //      POST /api/admin/users/{user}/enable
  getDrainEndpoint, //        GET  /api/admin/drain
  drainEndpoint, //           POST /api/admin/drain
  endDrainEndpoint, //     DELETE  /api/admin/drain

  getOpenApiEndpoint, //      GET  /api/openapi.json
  getDocsEndpoint, //         GET  /api/docs
  getHealthEndpoint, //       GET  /healthz
  getReadinessEndpoint, //    GET  /readyz
];

import { abandonUploadEndpoint } from "#api/abandon-upload";
import { addSecretsEndpoint } from "#api/add-secrets";
import { beginUploadEndpoint } from "#api/begin-upload";
import { changeStatusEndpoint } from "#api/change-status";
import { closeSessionEndpoint } from "#api/close-session";
import { compareRunsEndpoint } from "#api/compare-runs";
import { completeUploadEndpoint } from "#api/complete-upload";
import { createUserEndpoint } from "#api/create-user";
import { createWorkflowEndpoint } from "#api/create-workflow";
import { deleteFilesEndpoint } from "#api/delete-files";
import { deleteSecretsEndpoint } from "#api/delete-secrets";
import { diffWorkflowsEndpoint } from "#api/diff-workflows";
import { disableUserEndpoint } from "#api/disable-user";
import { diskUsageEndpoint } from "#api/disk-usage";
import { downloadFileEndpoint } from "#api/download-file";
import { downloadFilesEndpoint } from "#api/download-files";
import { drainEndpoint } from "#api/drain";
import { enableUserEndpoint } from "#api/enable-user";
import { endDrainEndpoint } from "#api/end-drain";
import { findUsersEndpoint } from "#api/find-users";
import { followJobLogEndpoint } from "#api/follow-job-log";
import { followRunEndpoint } from "#api/follow-run";
import { getClusterStatusEndpoint } from "#api/get-cluster-status";
import { getConfigEndpoint } from "#api/get-config";
import { getDocsEndpoint } from "#api/get-docs";
import { getDrainEndpoint } from "#api/get-drain";
import { getFailureEndpoint } from "#api/get-failure";
import { getGraphEndpoint } from "#api/get-graph";
import { getHealthEndpoint } from "#api/get-health";
import { getInfoEndpoint } from "#api/get-info";
import { getLogsEndpoint } from "#api/get-logs";
import { getOpenApiEndpoint } from "#api/get-open-api";
import { getParametersEndpoint } from "#api/get-parameters";
import { getQuotaEndpoint } from "#api/get-quota";
import { getReadinessEndpoint } from "#api/get-readiness";
import { getRestartPlanEndpoint } from "#api/get-restart-plan";
import { getResultsEndpoint } from "#api/get-results";
import { getSessionSecretEndpoint } from "#api/get-session-secret";
import { getShareStatusEndpoint } from "#api/get-share-status";
import { getSpecificationEndpoint } from "#api/get-specification";
import { getStatusEndpoint } from "#api/get-status";
import { getUsageEndpoint } from "#api/get-usage";
import { getYouEndpoint } from "#api/get-you";
import { issueTokenEndpoint } from "#api/issue-token";
import { launchWorkflowEndpoint } from "#api/launch-workflow";
import { listActionsEndpoint } from "#api/list-actions";
import { listFilesEndpoint } from "#api/list-files";
import { listJobsEndpoint } from "#api/list-jobs";
import { listRetentionRulesEndpoint } from "#api/list-retention-rules";
import { listSecretsEndpoint } from "#api/list-secrets";
import { listUsersSharedWithYouEndpoint, listUsersYouSharedWithEndpoint } from "#api/list-sharing-users";
import { listUsersEndpoint } from "#api/list-users";
import { listWorkflowsEndpoint } from "#api/list-workflows";
import { lookAtUploadEndpoint } from "#api/look-at-upload";
import { moveFilesEndpoint } from "#api/move-files";
import { openSessionEndpoint } from "#api/open-session";
import { pingEndpoint } from "#api/ping";
import { planRestartEndpoint } from "#api/plan-restart";
import { pruneWorkspaceEndpoint } from "#api/prune-workspace";
import { replaceWorkflowEndpoint } from "#api/replace-workflow";
import { rerunWorkflowEndpoint } from "#api/rerun-workflow";
import { requestTokenEndpoint } from "#api/request-token";
import { revokeTokenEndpoint } from "#api/revoke-token";
import type { Endpoint } from "#api/route";
import { setQuotaEndpoint, setQuotaPeriodEndpoint } from "#api/set-quota";
import { shareWorkflowEndpoint } from "#api/share-workflow";
import { startWorkflowEndpoint } from "#api/start-workflow";
import { takePartEndpoint } from "#api/take-part";
import { unshareWorkflowEndpoint } from "#api/unshare-workflow";
import { uploadFileEndpoint } from "#api/upload-file";
import { uploadFilesEndpoint } from "#api/upload-files";
import { validateSpecificationEndpoint } from "#api/validate-specification";

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

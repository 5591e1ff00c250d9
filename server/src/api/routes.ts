import { deleteFilesEndpoint, moveFilesEndpoint, pruneWorkspaceEndpoint } from "#api/files/change-files";
import { diskUsageEndpoint } from "#api/files/disk-usage";
import { downloadFileEndpoint } from "#api/files/download-file";
import { listFilesEndpoint } from "#api/files/list-files";
import { previewPruneEndpoint } from "#api/files/preview-prune";
import { publishOutputsEndpoint } from "#api/files/publish-outputs";
import { extendRetentionEndpoint, listRetentionRulesEndpoint } from "#api/files/list-retention-rules";
import { downloadFilesEndpoint, uploadFilesEndpoint } from "#api/files/many-files";
import { uploadFileEndpoint } from "#api/files/upload-file";
import {
  abandonUploadEndpoint,
  beginUploadEndpoint,
  completeUploadEndpoint,
  getUploadEndpoint,
  uploadPartEndpoint,
} from "#api/files/upload-in-parts";
import { type Route, routesOf } from "#api/http/endpoint";
import { getCrateEndpoint } from "#api/reports/get-crate";
import { getPublicationEndpoint, publishWorkflowEndpoint } from "#api/reports/publication";
import { getReportEndpoint } from "#api/reports/get-report";
import { changeStatusEndpoint } from "#api/runs/change-status";
import { compareRunsEndpoint } from "#api/runs/compare-runs";
import { createWorkflowEndpoint } from "#api/runs/create-workflow";
import { getParametersEndpoint, getSpecificationEndpoint } from "#api/runs/definition";
import { diffWorkflowsEndpoint } from "#api/runs/diff-workflows";
import { launchWorkflowEndpoint } from "#api/runs/launch-workflow";
import { listActionsEndpoint } from "#api/runs/list-actions";
import { getStatusReportEndpoint, mailStatusReportEndpoint } from "#api/runs/status-report";
import { previewRetentionEndpoint } from "#api/runs/preview-retention";
import { getNotesEndpoint, setNotesEndpoint } from "#api/runs/notes";
import { listNamesEndpoint } from "#api/runs/list-names";
import { listWorkflowsEndpoint } from "#api/runs/list-workflows";
import { restartWithSpecificationEndpoint } from "#api/runs/restart-with-specification";
import { rerunWorkflowEndpoint } from "#api/runs/rerun-workflow";
import { getRestartPlanEndpoint, planRestartEndpoint } from "#api/runs/restart-plan";
import { getDaskDashboardEndpoint } from "#api/runs/dask-dashboard";
import { closeSessionEndpoint, getSessionSecretEndpoint, openSessionEndpoint } from "#api/runs/notebooks";
import { startWorkflowEndpoint } from "#api/runs/start-workflow";
import { validateSpecificationEndpoint } from "#api/runs/validate-specification";
import { getCertificateEndpoint } from "#api/runs/get-certificate";
import { getVerificationPlanEndpoint } from "#api/runs/verification-plan";
import { getVerificationEndpoint, repeatStepEndpoint, verifyWorkflowEndpoint } from "#api/runs/verification";
import { announceEndpoint, endAnnouncementEndpoint } from "#api/service/announcement";
import { getDocsEndpoint, getOpenApiEndpoint } from "#api/service/documents";
import { declareHostLostEndpoint, listHostsEndpoint } from "#api/service/hosts";
import { declareJobLostEndpoint } from "#api/service/lost-jobs";
import { drainEndpoint, endDrainEndpoint, getDrainEndpoint } from "#api/service/drain";
import { getClusterStatusEndpoint } from "#api/service/get-cluster-status";
import { getHealthEndpoint, getReadinessEndpoint, pingEndpoint } from "#api/service/health";
import { getConfigEndpoint, getInfoEndpoint } from "#api/service/info";
import { getServerStateEndpoint, listAuditEndpoint } from "#api/service/server-state";
import { listShadowsEndpoint, switchShadowsEndpoint, switchShadowsOfUserEndpoint } from "#api/runs/shadows";
import { getMetricsEndpoint } from "#api/service/metrics";
import {
  addMemberEndpoint,
  createGroupEndpoint,
  deleteGroupEndpoint,
  getGroupEndpoint,
  listGroupsEndpoint,
  removeMemberEndpoint,
} from "#api/sharing/groups";
import {
  getShareStatusEndpoint,
  listUsersSharedWithYouEndpoint,
  listUsersYouSharedWithEndpoint,
  shareWorkflowEndpoint,
  unshareWorkflowEndpoint,
} from "#api/sharing/sharing";
import {
  admitProviderEndpoint,
  deleteUserEndpoint,
  disableUserEndpoint,
  enableUserEndpoint,
  endAdminEndpoint,
  listUsersEndpoint,
  makeAdminEndpoint,
  refuseProviderEndpoint,
} from "#api/users/accounts";
import {
  addGitlabWebhookEndpoint,
  listGitlabProjectsEndpoint,
  removeGitlabWebhookEndpoint,
} from "#api/users/gitlab";
import {
  addProviderEndpoint,
  beginProviderSignInEndpoint,
  completeProviderSignInEndpoint,
  listOwnProvidersEndpoint,
  providerLogoutEndpoint,
  removeProviderEndpoint,
} from "#api/users/provider-sign-in";
import { beginDeviceSignInEndpoint, completeDeviceSignInEndpoint } from "#api/users/device-sign-in";
import { listUsageEndpoint } from "#api/users/list-usage";
import { listPoliciesEndpoint, setPolicyEndpoint } from "#api/users/policies";
import { getQuotaEndpoint, setQuotaEndpoint, setQuotaPeriodEndpoint } from "#api/users/quota";
import {
  addNotificationEndpoint,
  listNotificationsEndpoint,
  removeNotificationEndpoint,
  testNotificationEndpoint,
} from "#api/users/notifications";
import { addSecretsEndpoint, deleteSecretsEndpoint, listSecretsEndpoint } from "#api/users/secrets";
import {
  issueOwnTokenEndpoint,
  listTokensEndpoint,
  listTokensOfEndpoint,
  revokeOwnTokenEndpoint,
  revokeTokenOfEndpoint,
} from "#api/users/own-tokens";
import {
  confirmEmailEndpoint,
  loginEndpoint,
  logoutEndpoint,
  oauthLoginEndpoint,
  registerEndpoint,
} from "#api/users/reana-page";
import {
  closeSessionOfBrowserEndpoint,
  getSessionOfBrowserEndpoint,
  issueCodeEndpoint,
  openSessionOfBrowserEndpoint,
} from "#api/users/session";
import { inviteUserEndpoint, redeemCodeEndpoint } from "#api/users/invitations";
import { issueTokenEndpoint, requestTokenEndpoint, revokeTokenEndpoint } from "#api/users/tokens";
import { getUsageByMonthEndpoint } from "#api/users/usage-by-month";
import { createUserEndpoint, findUsersEndpoint } from "#api/users/users";
import { getYouEndpoint } from "#api/users/you";
import { getFailureEndpoint } from "#api/watch/failure";
import { followJobLogEndpoint } from "#api/watch/follow-job-log";
import { followRunEndpoint } from "#api/watch/follow-run";
import { getGraphEndpoint } from "#api/watch/get-graph";
import { getLogsEndpoint } from "#api/watch/get-logs";
import { getOriginEndpoint } from "#api/watch/get-origin";
import { getOutputsEndpoint } from "#api/watch/get-outputs";
import { getResultsEndpoint } from "#api/watch/get-results";
import { getStatusEndpoint } from "#api/watch/get-status";
import { getUsageEndpoint } from "#api/watch/get-usage";
import { listAllRunsEndpoint } from "#api/watch/list-all-runs";
import { listJobsEndpoint } from "#api/watch/list-jobs";

/** Table of all endpoints. */
export const ROUTES: readonly Route[] = routesOf([
  ["GET", "/api/ping", pingEndpoint],
  ["GET", "/api/users", findUsersEndpoint],
  ["POST", "/api/users", createUserEndpoint],

  ["GET", "/api/you", getYouEndpoint],
  ["GET", "/api/info", getInfoEndpoint],
  ["GET", "/api/config", getConfigEndpoint],
  ["GET", "/api/status", getClusterStatusEndpoint],
  ["PUT", "/api/token", requestTokenEndpoint],
  ["DELETE", "/api/token", revokeTokenEndpoint],
  ["POST", "/api/login", loginEndpoint],
  ["POST", "/api/logout", logoutEndpoint],
  ["POST", "/api/register", registerEndpoint],
  ["POST", "/api/confirm-email", confirmEmailEndpoint],
  ["GET", "/api/oauth/login/{provider}", oauthLoginEndpoint],
  ["GET", "/api/session", getSessionOfBrowserEndpoint],
  ["POST", "/api/session", openSessionOfBrowserEndpoint],
  ["DELETE", "/api/session", closeSessionOfBrowserEndpoint],
  ["POST", "/api/session/codes", issueCodeEndpoint],
  ["GET", "/api/session/providers", listOwnProvidersEndpoint],
  ["POST", "/api/session/providers/{provider}", beginProviderSignInEndpoint],
  ["DELETE", "/api/session/providers/{provider}", removeProviderEndpoint],
  ["POST", "/api/session/providers/{provider}/answer", completeProviderSignInEndpoint],
  ["POST", "/api/session/providers/{provider}/device", beginDeviceSignInEndpoint],
  ["POST", "/api/session/providers/{provider}/device/answer", completeDeviceSignInEndpoint],
  ["POST", "/api/session/providers/{provider}/add", addProviderEndpoint],
  ["POST", "/api/session/providers/{provider}/logout", providerLogoutEndpoint],
  ["GET", "/api/tokens", listTokensEndpoint],
  ["POST", "/api/tokens", issueOwnTokenEndpoint],
  ["POST", "/api/tokens/redeem", redeemCodeEndpoint],
  ["DELETE", "/api/tokens/{token}", revokeOwnTokenEndpoint],
  ["GET", "/api/quota", getQuotaEndpoint],
  ["POST", "/api/quota", setQuotaEndpoint],
  ["PATCH", "/api/quota", setQuotaPeriodEndpoint],
  ["GET", "/api/users/shared-with-you", listUsersSharedWithYouEndpoint],
  ["GET", "/api/users/you-shared-with", listUsersYouSharedWithEndpoint],

  ["GET", "/api/groups", listGroupsEndpoint],
  ["POST", "/api/groups", createGroupEndpoint],
  ["GET", "/api/groups/{group}", getGroupEndpoint],
  ["DELETE", "/api/groups/{group}", deleteGroupEndpoint],
  ["PUT", "/api/groups/{group}/members/{user}", addMemberEndpoint],
  ["DELETE", "/api/groups/{group}/members/{user}", removeMemberEndpoint],

  ["GET", "/api/secrets", listSecretsEndpoint],
  ["POST", "/api/secrets", addSecretsEndpoint],
  ["DELETE", "/api/secrets", deleteSecretsEndpoint],

  ["GET", "/api/notifications", listNotificationsEndpoint],
  ["POST", "/api/notifications", addNotificationEndpoint],
  ["DELETE", "/api/notifications/{notification}", removeNotificationEndpoint],
  ["POST", "/api/notifications/{notification}/test", testNotificationEndpoint],

  ["GET", "/api/gitlab/projects", listGitlabProjectsEndpoint],
  ["POST", "/api/gitlab/webhook", addGitlabWebhookEndpoint],
  ["DELETE", "/api/gitlab/webhook", removeGitlabWebhookEndpoint],

  ["GET", "/api/origin", getOriginEndpoint],

  ["GET", "/api/workflows", listWorkflowsEndpoint],
  ["GET", "/api/workflow-names", listNamesEndpoint],
  ["POST", "/api/workflows", createWorkflowEndpoint],
  ["POST", "/api/workflows/validate", validateSpecificationEndpoint],
  ["POST", "/api/launch", launchWorkflowEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/specification", getSpecificationEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/parameters", getParametersEndpoint],
  ["POST", "/api/workflows/{workflow_id_or_name}/start", startWorkflowEndpoint],
  ["POST", "/api/workflows/{workflow_id_or_name}/rerun", rerunWorkflowEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/publication", getPublicationEndpoint],
  ["POST", "/api/workflows/{workflow_id_or_name}/publication", publishWorkflowEndpoint],
  ["POST", "/api/workflows/{workflow_id_or_name}/verify", verifyWorkflowEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/verification", getVerificationEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/verification/plan", getVerificationPlanEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/verification/certificate", getCertificateEndpoint],
  ["POST", "/api/workflows/{workflow_id_or_name}/verification/repetitions", repeatStepEndpoint],
  ["POST", "/api/workflows/{workflow_id_or_name}/restart", restartWithSpecificationEndpoint],
  ["POST", "/api/workflows/{workflow_id_or_name}/open/{type}", openSessionEndpoint],
  ["POST", "/api/workflows/{workflow_id_or_name}/close", closeSessionEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/interactive-session-secret", getSessionSecretEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/dask-dashboard", getDaskDashboardEndpoint],
  ["POST", "/api/workflows/{workflow_id_or_name}/share", shareWorkflowEndpoint],
  ["POST", "/api/workflows/{workflow_id_or_name}/unshare", unshareWorkflowEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/share-status", getShareStatusEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/restart-plan", getRestartPlanEndpoint],
  ["POST", "/api/workflows/{workflow_id_or_name}/restart-plan", planRestartEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/logs", getLogsEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/results", getResultsEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/outputs", getOutputsEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/report", getReportEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/crate", getCrateEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/status", getStatusEndpoint],
  ["PUT", "/api/workflows/{workflow_id_or_name}/status", changeStatusEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/events", followRunEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/graph", getGraphEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/actions", listActionsEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/notes", getNotesEndpoint],
  ["PUT", "/api/workflows/{workflow_id_or_name}/notes", setNotesEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/usage", getUsageEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/failure", getFailureEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/jobs", listJobsEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/jobs/{job}/log", followJobLogEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/workspace", listFilesEndpoint],
  ["POST", "/api/workflows/{workflow_id_or_name}/workspace", uploadFileEndpoint],
  ["POST", "/api/workflows/{workflow_id_or_name}/uploads", beginUploadEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/uploads/{upload}", getUploadEndpoint],
  ["PUT", "/api/workflows/{workflow_id_or_name}/uploads/{upload}", uploadPartEndpoint],
  ["POST", "/api/workflows/{workflow_id_or_name}/uploads/{upload}/complete", completeUploadEndpoint],
  ["DELETE", "/api/workflows/{workflow_id_or_name}/uploads/{upload}", abandonUploadEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/workspace/{file_name*}", downloadFileEndpoint],
  ["DELETE", "/api/workflows/{workflow_id_or_name}/workspace/{file_name*}", deleteFilesEndpoint],
  ["POST", "/api/workflows/{workflow_id_or_name}/files", uploadFilesEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/files", downloadFilesEndpoint],
  ["PUT", "/api/workflows/move_files/{workflow_id_or_name}", moveFilesEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/prune", previewPruneEndpoint],
  ["POST", "/api/workflows/{workflow_id_or_name}/prune", pruneWorkspaceEndpoint],
  ["POST", "/api/workflows/{workflow_id_or_name}/publish-outputs", publishOutputsEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/retention_rules", listRetentionRulesEndpoint],
  ["PATCH", "/api/workflows/{workflow_id_or_name}/retention_rules", extendRetentionEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/disk_usage", diskUsageEndpoint],

  ["GET", "/api/workflows/{workflow_id_or_name_a}/diff/{workflow_id_or_name_b}", diffWorkflowsEndpoint],
  ["GET", "/api/workflows/{workflow_id_or_name}/comparison/{other}", compareRunsEndpoint],

  ["GET", "/api/admin/usage", getUsageByMonthEndpoint],
  ["GET", "/api/admin/usage/users", listUsageEndpoint],
  ["GET", "/api/admin/users", listUsersEndpoint],
  ["POST", "/api/admin/invitations", inviteUserEndpoint],
  ["GET", "/api/admin/users/{user}/tokens", listTokensOfEndpoint],
  ["POST", "/api/admin/users/{user}/tokens", issueTokenEndpoint],
  ["DELETE", "/api/admin/users/{user}/tokens/{token}", revokeTokenOfEndpoint],
  ["POST", "/api/admin/users/{user}/disable", disableUserEndpoint],
  ["POST", "/api/admin/users/{user}/enable", enableUserEndpoint],
  ["PUT", "/api/admin/users/{user}/provider", admitProviderEndpoint],
  ["DELETE", "/api/admin/users/{user}/provider", refuseProviderEndpoint],
  ["PUT", "/api/admin/users/{user}/admin", makeAdminEndpoint],
  ["DELETE", "/api/admin/users/{user}/admin", endAdminEndpoint],
  ["DELETE", "/api/admin/users/{user}", deleteUserEndpoint],
  ["GET", "/api/admin/drain", getDrainEndpoint],
  ["GET", "/api/shadows", listShadowsEndpoint],
  ["PUT", "/api/shadows", switchShadowsEndpoint],
  ["PUT", "/api/admin/users/{user}/shadows", switchShadowsOfUserEndpoint],
  ["POST", "/api/admin/drain", drainEndpoint],
  ["DELETE", "/api/admin/drain", endDrainEndpoint],
  ["PUT", "/api/admin/announcement", announceEndpoint],
  ["DELETE", "/api/admin/announcement", endAnnouncementEndpoint],
  ["GET", "/api/admin/runs", listAllRunsEndpoint],
  ["GET", "/api/admin/retention", previewRetentionEndpoint],
  ["GET", "/api/admin/report", getStatusReportEndpoint],
  ["POST", "/api/admin/report", mailStatusReportEndpoint],
  ["GET", "/api/admin/server", getServerStateEndpoint],
  ["GET", "/api/admin/audit", listAuditEndpoint],
  ["GET", "/api/admin/policies", listPoliciesEndpoint],
  ["PUT", "/api/admin/policies/{group}", setPolicyEndpoint],
  ["GET", "/api/admin/hosts", listHostsEndpoint],
  ["POST", "/api/admin/hosts/{host}/declare-lost", declareHostLostEndpoint],
  ["POST", "/api/admin/jobs/{job}/declare-lost", declareJobLostEndpoint],

  ["GET", "/api/openapi.json", getOpenApiEndpoint],
  ["GET", "/api/docs", getDocsEndpoint],
  ["GET", "/healthz", getHealthEndpoint],
  ["GET", "/readyz", getReadinessEndpoint],
  ["GET", "/metrics", getMetricsEndpoint],
]);

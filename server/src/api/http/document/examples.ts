/** Examples of an operation in the OpenAPI document. A test checks each against its schema. */
export interface Examples {
  readonly body?: unknown;
  readonly reply?: unknown;
}

const TIME = "2026-11-22T17:29:18";
const USER = "6f761ce6-0a25-4ac3-9d9c-4d4963055ae4";
const RUN = "be9abee2-a789-4546-b892-d47f67e8362e";
const JOB = "3573704f-ef75-88e9-9d0b-82c887d70494";
const EMAIL = "ada@example.org";
const TOKEN = `reprise.3a23bd07.${"x".repeat(43)}`;
const SHA256 = "53c234e5e8472b6ac51c1ae1cab3fe06fad053beb8ebfd8977b010655bfdd3c3";
const COMMAND = "wc -l < data/in.csv > results/fit.txt";
const PARAMETERS = { input_parameters: { n: 10 } };

/** A small specification that runs if copied from the page. */
const SPECIFICATION = {
  workflow: { type: "serial", specification: { steps: [{ name: "hello", commands: ["echo hello"] }] } },
};
const TIMES = { run_started_at: TIME, run_finished_at: TIME, run_stopped_at: null, wall_ms: 0 };
const NONE = { total: 0, job_ids: [] };
const ONE = { total: 1, job_ids: [JOB] };
const ONE_PAGE = { total: 1, page: 1, has_prev: false, has_next: false };
const NO_PERIOD = { quota_period_months: null, quota_period_start_at: null };
const LISTED_RUN = {
  id: RUN,
  name: "fit.1",
  status: "finished",
  user: USER,
  created: TIME,
  launcher_url: null,
  owner_email: EMAIL,
  shared_with: [],
  services: [],
  progress: TIMES,
  size: { raw: -1, human_readable: "" },
};
const LINKS = { size: 10, from_idx: 0, to_idx: 1, links: { self: { page: 1 } } };

const BEGUN = {
  url: "https://auth.example.org/authorize?client_id=reprise&state=9c1b",
  attempt: "x".repeat(80),
};

export const EXAMPLES: Readonly<Record<string, Examples>> = {
  "create-user": {
    reply: { message: "User was successfully created.", id_: USER, email: EMAIL, access_token: TOKEN },
  },
  "issue-token": {
    body: { revoke_others: true },
    reply: { message: `A token was issued to ${EMAIL}.`, id_: USER, email: EMAIL, token: TOKEN, revoked: 1 },
  },
  login: { body: { email: EMAIL, password: TOKEN }, reply: { message: "Signed in." } },
  "sign-in": {
    body: { code: "x".repeat(43) },
    reply: { id_: USER, email: EMAIL, admin: false, server_version: "0.1.0", page_key: "x".repeat(43) },
  },
  "begin-provider-sign-in": { reply: BEGUN },
  "begin-adding-provider": { reply: BEGUN },
  "begin-device-sign-in": {
    reply: {
      user_code: "WDJB-MJHT",
      url: "https://auth.example.org/device",
      url_with_code: "https://auth.example.org/device?user_code=WDJB-MJHT",
      interval_seconds: 5,
      expires_in_seconds: 600,
      attempt: BEGUN.attempt,
    },
  },
  "complete-device-sign-in": {
    body: { attempt: BEGUN.attempt, name: "login on laptop" },
    reply: { id_: USER, email: EMAIL, token: TOKEN, expires: `${TIME}Z` },
  },
  "remove-provider": { reply: { ended: 1 } },
  "complete-provider-sign-in": {
    body: { attempt: BEGUN.attempt, answer: "?code=e2f1&state=9c1b" },
    reply: {
      id_: USER,
      email: EMAIL,
      admin: false,
      server_version: "0.1.0",
      page_key: "x".repeat(43),
      token: TOKEN,
    },
  },
  "end-provider-sessions": {
    body: { logout_token: "eyJhbGciOiJSUzI1NiIsInR5cCI6ImxvZ291dCtqd3QifQ.e30.c2ln" },
    reply: { ended: 1 },
  },
  "issue-own-token": {
    body: { name: "notebook", scope: "runs", expires_in_days: 30 },
    reply: { id: JOB, name: "notebook", token: TOKEN, scope: "runs", expires: `${TIME}Z` },
  },
  "invite-user": {
    body: { email: EMAIL },
    reply: {
      id_: USER,
      email: EMAIL,
      code: "x".repeat(43),
      path: `/sign-in#${"x".repeat(43)}`,
      expires: `${TIME}Z`,
    },
  },
  "redeem-code": {
    body: { code: "x".repeat(43), name: "laptop" },
    reply: { id: JOB, name: "laptop", token: TOKEN, scope: "everything", expires: null },
  },
  "revoke-token": { body: { email: EMAIL } },
  "get-quota": { reply: { message: "OK", limit: 7_200_000, usage: 3_600_500, ...NO_PERIOD } },
  "get-usage-by-month": {
    reply: [{ id_: USER, email: EMAIL, month: "2026-11", cpu_ms: 3_600_500, wall_ms: 4_000_000, runs: 12 }],
  },
  announce: { body: { announcement: "The server is upgraded on Friday at noon." } },
  "set-policy": {
    body: { images: ["python", "docker.io/rootproject/*"], cpu_ms: 360_000_000, max_runs: 20 },
  },
  "set-quota": {
    body: { email: EMAIL, resource_type: "cpu", limit: 7_200_000 },
    reply: { message: "OK", limit: 7_200_000, usage: 3_600_500, ...NO_PERIOD },
  },
  "set-quota-period": { body: { email: EMAIL, resource_type: "cpu", quota_period_months: 1 } },
  "add-secrets": {
    body: { PASSWORD: { value: "c2VjcmV0", type: "env" } },
    reply: { message: "Secret(s) successfully added." },
  },
  "add-gitlab-webhook": { body: { project_id: "15" }, reply: { id: 7 } },
  "remove-gitlab-webhook": { body: { project_id: "15", hook_id: 7 } },
  "add-notification": {
    body: { to: "https://example.org/hooks/runs", on: ["finished", "failed"] },
    reply: {
      id: JOB,
      to: "https://example.org/hooks/runs",
      run: null,
      on: ["finished", "failed"],
      secret: `whsec_${"x".repeat(43)}=`,
    },
  },
  "test-notification": { reply: { delivered: false, problem: "The receiver returned the status 500." } },
  "list-secrets": { reply: [{ name: "PASSWORD", type: "env" }] },
  "delete-secrets": { body: ["PASSWORD"] },
  "create-workflow": {
    body: SPECIFICATION,
    reply: { message: "Workflow workspace created", workflow_id: RUN, workflow_name: "fit.1" },
  },
  "validate-specification": { body: SPECIFICATION },
  "launch-workflow": { body: { url: "https://github.com/reanahub/reana-demo-root6-roofit" } },
  "start-workflow": {
    body: PARAMETERS,
    reply: {
      message: "Workflow submitted.",
      workflow_id: RUN,
      workflow_name: "fit",
      run_number: "1",
      status: "queued",
      user: USER,
    },
  },
  "change-status": { body: PARAMETERS },
  "replace-workflow": { body: PARAMETERS },
  "plan-restart": { body: { input_parameters: { n: 20 } } },
  "rerun-workflow": {
    body: { input_parameters: { n: 20 } },
    reply: {
      message: "Workflow submitted.",
      workflow_id: RUN,
      workflow_name: "fit.2",
      status: "queued",
      user: USER,
    },
  },
  "publish-workflow": { body: { to: "zenodo", creators: [{ name: "Lovelace, Ada" }] } },
  "verify-workflow": { body: { tolerance: 1e-9 } },
  "repeat-step": { body: { repetitions: 6 } },
  "list-workflows": {
    reply: {
      items: [LISTED_RUN],
      ...ONE_PAGE,
      ...LINKS,
      user_has_workflows: true,
    },
  },
  "list-workflow-names": {
    reply: {
      items: [
        {
          name: "fit",
          workflows: 1,
          last: LISTED_RUN,
        },
      ],
      ...ONE_PAGE,
      ...LINKS,
    },
  },
  "get-status": {
    reply: {
      id: RUN,
      name: "fit.1",
      created: TIME,
      status: "finished",
      progress: {
        ...TIMES,
        total: ONE,
        running: NONE,
        finished: ONE,
        failed: NONE,
        current_command: COMMAND,
        current_step_name: "fit",
        current_label: "fit",
      },
      user: USER,
      logs: "{}",
    },
  },
  "list-files": {
    reply: {
      items: [
        { name: "results/fit.txt", size: { raw: 2, human_readable: "2 Bytes" }, "last-modified": TIME },
      ],
      ...ONE_PAGE,
    },
  },
  "get-server-state": {
    reply: {
      version: "0.1.0",
      database_bytes: 524_288,
      disk: { free_bytes: 80_000_000_000, total_bytes: 100_000_000_000, floor_bytes: 1_000_000_000 },
      backends: [
        {
          name: "Local",
          compute_backends: ["kubernetes"],
          provides: ["time-limit", "output-limit"],
          away: null,
        },
      ],
      settings: [{ name: "maxRuns", value: "8" }],
    },
  },
  "list-audit": {
    reply: {
      items: [
        {
          time: TIME,
          action: "start-workflow",
          user: EMAIL,
          ip: "127.0.0.1",
          status: 200,
          subject: { run: "fit.1" },
        },
      ],
      unreadable_lines: 0,
    },
  },
  "list-jobs": {
    reply: {
      items: [
        {
          id: JOB,
          backend_job_id: JOB,
          key: "0.0",
          attempt: 1,
          step: "fit",
          label: "fit",
          node: "0",
          command: COMMAND,
          display_command: COMMAND,
          image: "python:3.12",
          image_digest: null,
          backend: "Local",
          status: "finished",
          waiting_for: null,
          reason: "exited",
          exit_code: 0,
          detail: null,
          created_at: `${TIME}Z`,
          started_at: `${TIME}Z`,
          finished_at: `${TIME}Z`,
          times_ms: { created: 1_795_348_800_000, started: 1_795_348_800_004, finished: 1_795_348_800_010 },
          usage: {
            wall_ms: 6,
            cpu_ms: 4,
            peak_bytes: null,
            memory_limit_bytes: 268_435_456,
            gpu_ms: null,
            gpu_peak_bytes: null,
            sampled: [],
          },
          taken_from: null,
          decision: null,
          log_bytes: 10,
        },
      ],
      ...ONE_PAGE,
      ...LINKS,
    },
  },
  "get-outputs": {
    reply: {
      workflow_id: RUN,
      workflow_name: "fit.1",
      outputs: {
        lines: 10,
        fit: { class: "File", location: "outputs/fit.txt", basename: "fit.txt", size: 2 },
      },
    },
  },
  "get-results": {
    reply: {
      workflow_id: RUN,
      workflow_name: "fit.1",
      is_recorded: true,
      is_cut: false,
      files: [{ name: "results/fit.txt", bytes: 2, sha256: SHA256, replaced_by: null, is_removed: false }],
      note: null,
    },
  },
  "begin-upload": { body: { file_name: "data/in.csv", size: 5_368_709_120, sha256: SHA256 } },
  "prune-workspace": { body: { include_inputs: false, include_outputs: false } },
  "open-session": { body: { image: "jupyter/scipy-notebook" } },
  "get-notes": {
    reply: { workflow_id: RUN, workflow_name: "fit.1", note: "With the new calibration.", tags: ["paper"] },
  },
  "set-notes": {
    body: { note: "With the new calibration.", tags: ["paper"] },
    reply: { workflow_id: RUN, workflow_name: "fit.1", note: "With the new calibration.", tags: ["paper"] },
  },
  "extend-retention": { body: { extend_days: 30 } },
  "share-workflow": {
    body: { user_email_to_share_with: EMAIL, message: "Please look.", valid_until: "2099-12-31" },
    reply: {
      message: "The workflow has been shared with the user.",
      workflow_id: RUN,
      workflow_name: "fit.1",
    },
  },
  "get-share-status": {
    reply: {
      workflow_id: RUN,
      workflow_name: "fit.1",
      shared_with: [{ user_email: EMAIL, valid_until: "2099-12-31T23:59:59" }],
    },
  },
  "unshare-workflow": { body: { user_email_to_unshare_with: EMAIL } },
  "create-group": {
    body: { name: "physics" },
    reply: { message: "The group physics was made. Share with it as group:physics." },
  },
  "add-group-member": {
    body: { role: "viewer" },
    reply: { message: `${EMAIL} is a viewer of the group physics.` },
  },
  "list-groups": {
    reply: [{ name: "physics", owner_email: EMAIL, member_count: 3, created: `${TIME}Z` }],
  },
  "switch-shadows": { body: { on: false }, reply: { on: false } },
  "switch-shadows-of-user": { body: { on: false }, reply: { on: false } },
  drain: { body: { now: false }, reply: { draining: "finishing", runs_active: 2, runs_queued: 1 } },
};

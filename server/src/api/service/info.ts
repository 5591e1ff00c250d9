import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { nullable } from "#api/http/document/schemas";
import { getAnnouncement } from "#operations/service/announcement";
import { UID_MIN } from "#workflow/job/user-id";
import { DAY_MS } from "#plumbing/clock";
import { type Capabilities, computeBackendsOf } from "#workflow/capabilities";
import { DASK_DEFAULTS, DASK_LIMITS } from "#workflow/specification/dask";

/** Settings that REANA's page requests before a user is signed in. */
export const getConfigEndpoint = endpoint({
  operation: "get-config",
  summary: "Show the settings for a web page of this server",
  access: "anyone",
  schema: {
    response: {
      200: Type.Object({
        announcement: Type.String({
          description: "Announcement of the administrator to all users. Empty if there is no announcement.",
        }),
        public_url: nullable(
          Type.String({ description: "The address at which users reach the server: `--public-url`." }),
        ),
        hide_signup: Type.Boolean({ description: "True, because the administrator adds users." }),
        local_users: Type.Boolean({ description: "Whether REANA's web page signs users in: `--reana-ui`." }),
        sso: Type.Boolean(),
        sign_in_providers: Type.Array(
          Type.Object({ name: Type.String(), title: Type.String() }, { title: "SignInProvider" }),
          { description: "Providers by which users sign in on the page of this server." },
        ),
        login_provider_config: Type.Array(Type.Object({ name: Type.String() }), {
          description: "Providers on REANA's page. Empty: users sign in on the page of this server.",
        }),
        quota_enabled: Type.Boolean({ description: "Whether `/api/you` shows quotas." }),
        launcher_examples: Type.Array(Type.Object({}), { description: "Examples of launch links." }),
        polling_secs: Type.Integer({ description: "Recommended interval between two requests of a page." }),
      }),
    },
  },
  handle: async (context) => ({
    announcement: await getAnnouncement(context),
    public_url: context.publicUrl ?? null,
    hide_signup: true,
    local_users: context.isForReanaPage,
    sso: false,
    sign_in_providers: context.signInProviders.map(({ name, title }) => ({ name, title })),
    login_provider_config: [],
    quota_enabled: true,
    launcher_examples: [],
    polling_secs: 15,
  }),
});

const Text = Type.Object({ title: Type.String(), value: Type.String() });
const MaybeText = Type.Object({ title: Type.String(), value: nullable(Type.String()) });
const Texts = Type.Object({ title: Type.String(), value: Type.Array(Type.String()) });

/** Facts about Dask clusters: texts, as REANA's clients expect. */
const DASK = {
  dask_enabled: { title: "Dask workflows allowed in the cluster", value: "True" },
  dask_autoscaler_enabled: { title: "Dask autoscaler enabled in the cluster", value: "False" },
  dask_cluster_default_number_of_workers: {
    title: "The number of Dask workers created by default",
    value: String(DASK_DEFAULTS.workers),
  },
  dask_cluster_default_single_worker_memory: {
    title: "The amount of memory used by default by a single Dask worker",
    value: DASK_DEFAULTS.memory,
  },
  dask_cluster_default_single_worker_threads: {
    title: "The number of threads used by default by a single Dask worker",
    value: String(DASK_DEFAULTS.threads),
  },
  dask_cluster_max_memory_limit: {
    title: "The maximum memory limit for Dask clusters",
    value: DASK_LIMITS.clusterMemory,
  },
  dask_cluster_max_number_of_workers: {
    title: "The maximum number of workers that users can ask for",
    value: String(DASK_LIMITS.workers),
  },
  dask_cluster_max_single_worker_memory: {
    title: "The maximum amount of memory that users can ask for a single Dask worker",
    value: DASK_LIMITS.memory,
  },
  dask_cluster_max_single_worker_threads: {
    title: "The maximum number of threads that users can ask for a single Dask worker",
    value: String(DASK_LIMITS.threads),
  },
};

export const getInfoEndpoint = endpoint({
  operation: "get-info",
  summary: "Show what this server can do",
  access: "user",
  schema: {
    response: {
      200: Type.Object({
        compute_backends: Texts,
        default_workspace: Text,
        workspaces_available: Texts,
        supported_workflow_engines: Texts,
        maximum_workspace_retention_period: MaybeText,
        default_kubernetes_memory_limit: MaybeText,
        kubernetes_max_memory_limit: MaybeText,
        maximum_interactive_session_inactivity_period: MaybeText,
        interactive_sessions_custom_image_allowed: Text,
        dask_enabled: Text,
        dask_autoscaler_enabled: Text,
        dask_cluster_default_number_of_workers: Text,
        dask_cluster_default_single_worker_memory: Text,
        dask_cluster_default_single_worker_threads: Text,
        dask_cluster_max_memory_limit: Text,
        dask_cluster_max_number_of_workers: Text,
        dask_cluster_max_single_worker_memory: Text,
        dask_cluster_max_single_worker_threads: Text,
        kubernetes_min_user_uid: Type.Object({ title: Type.String(), value: Type.Integer() }),
        vetted_container_images_enabled: Type.Object({ title: Type.String(), value: Type.Boolean() }),
        vetted_container_images_allowlist: Texts,
        gpus: Type.Object(
          { title: Type.String(), value: Type.Integer() },
          { description: "The GPUs of this machine that jobs share. A cluster has its own." },
        ),
        jobs_in_sandbox: Type.Object(
          { title: Type.String(), value: Type.String() },
          { description: "`True` if no job can read the files of the server and of other users' runs." },
        ),
      }),
    },
  },
  handle: ({ capabilities, workspaces, notebooks, scheduler }) => ({
    compute_backends: {
      title: "List of supported compute backends",
      value: computeBackendsOf(capabilities.backends),
    },
    default_workspace: { title: "Default workspace", value: workspaces.root },
    workspaces_available: { title: "List of available workspaces", value: [workspaces.root] },
    supported_workflow_engines: {
      title: "List of supported workflow engines",
      value: [...capabilities.languages],
    },
    maximum_workspace_retention_period: {
      title: "Maximum retention period in days for workspace files",
      value: null,
    },
    default_kubernetes_memory_limit: { title: "Default memory limit for Kubernetes jobs", value: null },
    kubernetes_max_memory_limit: { title: "Maximum memory limit for Kubernetes jobs", value: null },
    maximum_interactive_session_inactivity_period: {
      title: "Maximum inactivity period in days before automatic closure of interactive sessions",
      value: daysOf(notebooks.settings?.idleMs),
    },
    // Texts, because REANA's clients refuse booleans here.
    interactive_sessions_custom_image_allowed: {
      title: "Users can set custom interactive session images",
      value: notebooks.settings?.allowsImages ? "True" : "False",
    },
    ...DASK,
    kubernetes_min_user_uid: { title: "Minimum user ID of jobs", value: UID_MIN },
    // REANA's client compares letter by letter, and would refuse each image that only a pattern allows. The start checks it.
    vetted_container_images_enabled: {
      title: "Container image vetting enabled",
      value: allowedImagesOf(capabilities)?.every((image) => !image.includes("*")) ?? false,
    },
    vetted_container_images_allowlist: {
      title: "Allowed container images",
      value: [...(allowedImagesOf(capabilities) ?? [])],
    },
    gpus: { title: "Number of GPUs for jobs on this machine", value: scheduler.hostStatus().gpus },
    jobs_in_sandbox: {
      title: "Jobs run in a sandbox",
      value: capabilities.backends.every(({ provides }) => provides().includes("sandbox")) ? "True" : "False",
    },
  }),
});

/**
 * Returns the patterns of `--allow-images`. Undefined if all images are allowed, or if jobs run without
 * containers.
 */
function allowedImagesOf({ backends }: Capabilities): readonly string[] | undefined {
  return backends[0]?.allowedImages;
}

function daysOf(ms: number | undefined): string | null {
  return ms === undefined ? null : String(Math.round(ms / DAY_MS));
}

import type { Addition } from "#backends/kubernetes/addition";
import { additionsOf } from "#backends/kubernetes/additions";
import { containerSecurity, pullPolicy } from "#backends/kubernetes/container-parts";
import { mountsOf, volumesOf } from "#backends/kubernetes/data-folders";
import { imageTextOf } from "#backends/kubernetes/job-image";
import type { PodParts } from "#backends/kubernetes/pod-parts";
import type { PodSettings } from "#backends/kubernetes/pod-settings";
import { CONTAINER, HINT_ANNOTATION, RECORDS_LABEL } from "#backends/kubernetes/pod";
import type { ImageAccess } from "#backends/kubernetes/pull-secrets";
import type { SentJob } from "#backends/record/place";
import { shellQuote } from "#plumbing/text/shell-quote";
import { requiredGpus } from "#workflow/job/gpus";
import type { Job } from "#workflow/job/job";

/** The supervisor ends a job within three seconds of the first signal. */
const GRACE_SECONDS = 10;
/** The supervisor ends a job at its limit. Kubernetes is the second line. */
const DEADLINE_AFTER_SECONDS = 60;

/** Returns the Pod of a job. Throws a sentence if the job cannot be one. */
export function podOf(sent: SentJob, settings: PodSettings, access: ImageAccess = {}): object {
  const { name, job } = sent;
  const { spec } = settings.parts ?? {};
  const deadline = deadlineOf(job, settings);
  const annotations = annotationsOf(settings, access);
  const { initContainers, volumes, ...ofContainer } = additionsOf(sent, settings);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: labelsOf(job, settings), ...(annotations && { annotations }) },
    spec: {
      ...spec,
      ...pullSecretsOf(spec, access),
      restartPolicy: "Never",
      terminationGracePeriodSeconds: GRACE_SECONDS,
      ...(deadline !== undefined && { activeDeadlineSeconds: deadline }),
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { seccompProfile: { type: "RuntimeDefault" } },
      ...(initContainers.length > 0 && { initContainers }),
      containers: [containerOf(sent, { ...settings, ...ofContainer }, access)],
      volumes: [...volumesOf(sent, settings), ...volumes],
    },
  };
}

/** REANA's label, and the labels by which the server finds its own Pods. */
function labelsOf({ environment }: Job, { records, parts }: PodSettings): Readonly<Record<string, string>> {
  const run = environment["REANA_WORKFLOW_UUID"];
  return {
    ...parts?.labels,
    "app.kubernetes.io/managed-by": "reprise",
    [RECORDS_LABEL]: records,
    ...(run !== undefined && LABEL.test(run) && { "reana-run-job-workflow-uuid": run }),
  };
}

function annotationsOf({ parts }: PodSettings, { hint }: ImageAccess): PodParts["annotations"] {
  return hint === undefined ? parts?.annotations : { ...parts?.annotations, [HINT_ANNOTATION]: hint };
}

function pullSecretsOf(spec: PodParts["spec"] | undefined, { pullSecret }: ImageAccess): object {
  if (pullSecret === undefined) return {};
  const common = (spec?.["imagePullSecrets"] ?? []) as readonly object[];
  return { imagePullSecrets: [{ name: pullSecret }, ...common] };
}

const LABEL = /^[\w.-]{1,63}$/;

/** Counted from the moment at which a node takes the Pod, so the image is pulled within it. */
function deadlineOf({ limits }: Job, { pullTimeoutMs }: PodSettings): number | undefined {
  const { timeMs } = limits ?? {};
  if (timeMs === undefined) return undefined;
  return Math.ceil((timeMs + pullTimeoutMs) / 1000) + DEADLINE_AFTER_SECONDS;
}

type ContainerSettings = PodSettings & Required<Pick<Addition, "env" | "volumeMounts">>;

function containerOf(sent: SentJob, settings: ContainerSettings, { isPrivate }: ImageAccess): object {
  const { job, orderFile, saidFile, name } = sent;
  const { uid } = job.user ?? settings.user;
  return {
    name: CONTAINER,
    image: imageTextOf(job, settings.defaultImage),
    imagePullPolicy: pullPolicy(isPrivate ? { pullImages: "always" } : settings),
    // The program of the image itself is not started.
    command: ["/bin/sh", "-c", `exec /bin/sh ${shellQuote(orderFile)} >> ${shellQuote(saidFile)} 2>&1`],
    workingDir: "/",
    env: [
      { name: POD_VARIABLES.id, value: name },
      { name: POD_VARIABLES.node, valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
      ...(requiredGpus(job) === 0 ? [NO_GPU] : []),
      ...settings.env,
    ],
    resources: resourcesOf(job),
    securityContext: containerSecurity(uid, settings),
    volumeMounts: [...mountsOf(sent, settings), ...settings.volumeMounts],
  };
}

/** The variables that tell the supervisor of a job where it runs. */
export const POD_VARIABLES = { id: "REPRISE_POD", restart: "REPRISE_POD_RESTARTS", node: "REPRISE_NODE" };

/**
 * Hides the GPUs of a node from a job that asks for none. Images of NVIDIA ask for all of them, and a node whose default
 * runtime is NVIDIA's would show them.
 */
const NO_GPU = { name: "NVIDIA_VISIBLE_DEVICES", value: "void" };

/** The name of a GPU among the resources of a node. */
const GPU = "nvidia.com/gpu";

type Option = string | number | boolean | undefined;

/**
 * Requests and limits under the names of Kubernetes. The forms of REANA's keys were checked at the start of the run. The
 * limit of a GPU is its request as well. A GPU that is only a wish is not requested: the job would wait for it.
 */
function resourcesOf(job: Job): object {
  const { backend, limits = {}, resources } = job;
  const gpus = requiredGpus(job);
  const options: Readonly<Record<string, Option>> = backend?.options ?? {};
  const memory = limits.memoryBytes;
  const requests = {
    cpu: options["kubernetes_cpu_request"] ?? coresOf(resources?.cores),
    memory: options["kubernetes_memory_request"] ?? positive(resources?.memoryBytes),
  };
  const most = { cpu: coresOf(limits.cores), memory: positive(memory), [GPU]: positive(gpus) };
  return { requests: textsOf(requests), limits: textsOf(most) };
}

/** A request that is higher than the limit would be refused, so the unit is a thousandth of a core. */
function coresOf(cores: number | undefined): string | undefined {
  return cores === undefined ? undefined : `${Math.max(1, Math.ceil(cores * 1000))}m`;
}

function positive(bytes: number | undefined): number | undefined {
  return bytes === undefined || bytes === 0 ? undefined : Math.ceil(bytes);
}

function textsOf(values: Readonly<Record<string, Option>>): Readonly<Record<string, string>> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

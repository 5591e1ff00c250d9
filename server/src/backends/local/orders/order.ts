import type { JobRequest } from "#backends/backend";
import { type GpuPool, nodesOf } from "#backends/gpus/gpu-pool";
import type { Containers } from "#backends/containers/containers";
import { featuresFor } from "#backends/local/capabilities";
import type { JobGroups } from "#backends/process/cgroups/job-groups";
import {
  standInProblem,
  type ImageSettings,
  inStandIn,
  maybeStandIn,
  standInNotice,
} from "#backends/local/images/image-map";
import { proxyWords } from "#backends/walls/grid/proxy";
import { type TicketOptions, ticketWords } from "#backends/walls/kerberos/ticket";
import { HOST_ENVIRONMENT } from "#backends/process/slots/host-environment";
import { variablesOf } from "#backends/local/orders/job-variables";
import {
  type Launch,
  launchBehindWall,
  launchDirectly,
  launchInContainer,
} from "#backends/local/orders/launch";
import type { Wall } from "#backends/walls/wall";
import { unenforcedNotice } from "#backends/unenforced";
import { shellQuote } from "#plumbing/text/shell-quote";
import type { Job } from "#workflow/job/job";

export interface OrderOptions extends TicketOptions {
  readonly hostId: string;
  readonly maxOutputBytes: number;
  /** Processes that a job may have at once. Default: as many as the machine allows. */
  readonly maxProcesses?: number | undefined;
  /** Bytes that a job may write to disk. Default: no limit. */
  readonly maxDiskBytes?: number | undefined;
  /** Limit on the number of files in a job's workspace, home and temporary folder. Default: no limit. */
  readonly maxFiles?: number | undefined;
  /** The wall between the jobs and the machine. Optional. */
  readonly wall?: Wall | undefined;
  /** The control groups in which the kernel limits jobs. Optional. */
  readonly groups?: JobGroups | undefined;
  /** Stand-ins for container images. */
  readonly images?: ImageSettings;
  /** Runs the jobs that name an image. If absent, jobs run without their images. */
  readonly containers?: Containers | undefined;
  /** GPUs of the machine, if it has any. */
  readonly gpus?: GpuPool | undefined;
}

/** Returns the order for slot.sh: shell code, preceded by its length. */
export function orderOf(given: JobRequest, folder: string, options: OrderOptions): Buffer {
  const { job, notice: imageNotice } = inEnvironment(given, options);
  const request = { ...given, job };
  const { id, workspaceFolder } = request;
  const variables = variablesOf(request, folder, options);
  const provides = featuresFor(id, options);
  const grouped = groupWords(id, job, options);
  const isTimeCounted = options.groups?.countTime === true && grouped.length === 0;
  const gpus = options.gpus?.of(id) ?? [];
  const nodes = options.gpus ? nodesOf(gpus, options.gpus.gpus) : [];
  const launch =
    (options.containers &&
      launchInContainer(options.containers, request, folder, variables, { gpus, nodes })) ??
    (options.wall
      ? launchBehindWall(options.wall, request, folder, variables, { isTimeCounted, nodes })
      : launchDirectly(job, folder, variables));
  const timeLimit = Math.ceil((job.limits?.timeMs ?? 0) / MS_PER_TICK);
  const attempt = [
    id,
    folder,
    workspaceFolder,
    String(timeLimit),
    measuredLimits(job, options),
    ...launch.how,
  ];
  const placed = placement(job, launch, [imageNotice, unenforcedNotice(job, provides), launch.notice]);
  const { ticket, proxy } = variables.credentials;
  const ticketed = ticket ? ticketWords(ticket, folder, options) : [];
  const proxied = proxy ? proxyWords(proxy, launch.makesFilesAs) : [];
  const supervision = [...placed, ...grouped, ...ticketed, ...proxied, ...(launch.supervision ?? [])];
  const code = `${functionsOf(launch)}${quoted([...supervision, "attempt", ...attempt])}\n`;
  const bytes = Buffer.from(code);
  // A slot drops a NUL character, and would wait for as many bytes as are missing.
  if (bytes.includes(0)) throw new Error("The job holds a NUL character, which no shell can read.");
  return Buffer.concat([Buffer.from(String(bytes.length).padStart(8, "0")), bytes]);
}

/** Returns the job as run in the stand-in for its image, or a job that only reports the missing stand-in. */
function inEnvironment(
  { id, job }: JobRequest,
  options: OrderOptions,
): { readonly job: Job; readonly notice?: string } {
  const { images, containers, environment: common = {} } = options;
  if (!images || job.image === null || containers?.has(id)) return { job };
  const standIn = maybeStandIn(images, job.image);
  if (standIn) {
    const searchPath = common["PATH"] ?? HOST_ENVIRONMENT.PATH;
    return { job: inStandIn(job, standIn, searchPath), notice: standInNotice(job.image, standIn) };
  }
  const problem = standInProblem(images, job.image);
  if (problem === undefined) return { job };
  return { job: { ...job, command: { script: `exit ${CANNOT_EXECUTE}` } }, notice: `reprise: ${problem}\n` };
}

/** The runtime of a container limits the job itself, except Apptainer, whose processes are the job's own. */
function groupWords(id: string, { limits }: Job, { groups, containers }: OrderOptions): readonly string[] {
  const runtime = containers?.runtimeOf(id)?.name;
  const words = runtime === undefined || runtime === "apptainer" ? groups?.make(id, limits) : undefined;
  return words ? ["grouped", ...words, "--"] : [];
}

/** The exit code of a shell for a program that cannot be executed. */
const CANNOT_EXECUTE = 126;

/**
 * Returns the limits on measured quantities as one word of the order: output, memory, processes, bytes
 * written, files. 0 means no limit.
 */
function measuredLimits({ limits = {} }: Job, options: OrderOptions): string {
  const { maxOutputBytes, maxProcesses = 0, maxDiskBytes = Infinity, maxFiles = 0 } = options;
  const diskBytes = Math.min(limits.diskBytes ?? Infinity, maxDiskBytes);
  const written = Number.isFinite(diskBytes) ? diskBytes : 0;
  const last = [limits.memoryBytes ?? 0, maxProcesses, written, ...(maxFiles > 0 ? [maxFiles] : [])];
  return [maxOutputBytes, ...(last.some((limit) => limit > 0) ? last : [])].join(" ");
}

/**
 * Returns the functions of an order. A long command stands in one, because bash copies all arguments of a function at each
 * call: 80 words through six calls take it 0.2 ms.
 */
function functionsOf({ pairs, program }: Launch): string {
  const given = `given() { export ${quoted(pairs)}; }; `;
  return program ? `${given}program() { exec -- ${quoted(program)}; }; ` : given;
}

/** Returns the words for an attempt with a working folder, redirected input or output, or notices. */
function placement(
  { workingFolder, stdin, stdout, stderr }: Job,
  { opensFiles = false }: Launch,
  notices: readonly (string | undefined)[],
): readonly string[] {
  const files = opensFiles ? [undefined, undefined, undefined] : [stdin, stdout, stderr];
  const words = [workingFolder, ...files, notices.join("")].map((word) => word ?? "");
  return words.every((word) => word === "") ? [] : ["placed", ...words];
}

/** The unit of process start times in Linux. */
const MS_PER_TICK = 10;

function quoted(words: readonly string[]): string {
  return words.map(shellQuote).join(" ");
}

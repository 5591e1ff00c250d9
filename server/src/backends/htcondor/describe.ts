import { HOST_ENVIRONMENT } from "#backends/process/slots/host-environment";
import type { SentJob } from "#backends/record/place";
import { shellQuote } from "#plumbing/text/shell-quote";
import { printable } from "#plumbing/text/printable";
import type { BackendChoice, Job } from "#workflow/job/job";
import { CONDOR_CPUS, CONDOR_SIZE } from "#workflow/specification/condor-amounts";

type Value = string | number | boolean;

/** The options of a step for HTCondor, under REANA's names. */
function optionsOf({ backend }: Pick<Job, "backend">): NonNullable<BackendChoice["options"]> {
  return backend?.options ?? {};
}

/** Returns the description of a job for `condor_submit`. */
export function submitText(sent: SentJob): string {
  const { name, job, orderFile, saidFile } = sent;
  const path = HOST_ENVIRONMENT.PATH.replaceAll(/[^\w@%+=:,./-]/g, "");
  const lines = [
    "universe = vanilla",
    `batch_name = ${name}`,
    `description = ${literal(printable(job.name, DESCRIPTION_MAX_CHARACTERS)).replace(/\\+$/, "")}`,
    "executable = /bin/sh",
    // HTCondor would hold a job whose output it cannot bring back, for example after its run was deleted.
    `arguments = "-c ${quoted(`exec /bin/sh ${shellQuote(orderFile)} >> ${shellQuote(saidFile)} 2>&1`)}"`,
    `environment = "HTCONDOR_JOB_ID=$(ClusterId).$(ProcId) PATH=${path} LANG=${HOST_ENVIRONMENT.LANG}"`,
    "transfer_executable = false",
    "should_transfer_files = YES",
    "transfer_output_files =",
    "notification = never",
    // A job that was held while it ran has recorded its end: a release would only meet the claim.
    "periodic_remove = JobStatus == 5 && NumJobStarts > 0 && time() - EnteredCurrentStatus > 86400",
    ...resourceLines(job),
    "queue",
  ];
  return `${lines.join("\n")}\n`;
}

const DESCRIPTION_MAX_CHARACTERS = 100;

/** A dollar sign would begin a macro. */
function literal(text: string): string {
  return text.replaceAll("$", "$(DOLLAR)");
}

/** Quotes a word of the arguments, which are in double quotes. */
function quoted(word: string): string {
  return `'${literal(word).replaceAll("'", "''").replaceAll('"', '""')}'`;
}

function resourceLines(job: Job): readonly string[] {
  const options = optionsOf(job);
  const { limits = {}, resources } = job;
  const cores = Math.ceil(limits.cores ?? resources?.cores ?? 0);
  const memoryBytes = limits.memoryBytes ?? resources?.memoryBytes ?? 0;
  const { gpus = 0 } = resources ?? {};
  const { htcondor_accounting_group: group, htcondor_requirements: requirements } = options;
  return [
    ...given("request_cpus", options, CONDOR_CPUS, "a whole number above 0", cores > 0 ? cores : undefined),
    ...given("request_memory", options, CONDOR_SIZE, A_SIZE, megabytes(memoryBytes)),
    ...given("request_disk", options, CONDOR_SIZE, A_SIZE, undefined),
    ...(gpus > 0 ? [`request_gpus = ${gpus}`] : []),
    ...runtimeLines(options["htcondor_max_runtime"], limits.timeMs),
    ...(group === undefined
      ? []
      : [`accounting_group = ${checked("accounting_group", group, GROUP, "the name of a group")}`]),
    ...(requirements === undefined
      ? []
      : [`requirements = ${checked("requirements", requirements, EXPRESSION, "one line without $ and \\")}`]),
  ];
}

const A_SIZE = "an amount such as 256 MB or 2 GB";
const GROUP = /^[\w.@+-]+$/;
/** Other characters could begin a macro or continue the line. */
const EXPRESSION = /^[^\p{Cc}$\\]+$/u;

function megabytes(bytes: number): string | undefined {
  return bytes > 0 ? `${Math.ceil(bytes / 2 ** 20)} MB` : undefined;
}

/** The line of a request: the step's own words for HTCondor count before its limits for every place. */
function given(
  key: string,
  options: NonNullable<BackendChoice["options"]>,
  form: RegExp,
  wanted: string,
  fallback: Value | undefined,
): readonly string[] {
  const own = options[`htcondor_${key}`];
  if (own !== undefined) return [`${key} = ${checked(key, own, form, wanted)}`];
  return fallback === undefined ? [] : [`${key} = ${fallback}`];
}

/** REANA asks for one hour, because CERN's pools end a job without a time limit after 20 minutes. */
const RUNTIME_SECONDS = 3600;

function runtimeLines(runtime: Value | undefined, timeMs: number | undefined): readonly string[] {
  const text = String(runtime ?? "");
  const seconds =
    runtime === undefined ? Math.ceil((timeMs ?? RUNTIME_SECONDS * 1000) / 1000) : secondsIn(runtime);
  if (seconds === undefined)
    throw refusal("max_runtime", runtime!, "a number of seconds, or a flavour such as longlunch");
  const flavour = FLAVOURS.has(text) ? [`+JobFlavour = "${text}"`] : [];
  return [`+MaxRuntime = ${seconds}`, ...flavour];
}

/** CERN's names for time limits, in seconds. */
const FLAVOURS: ReadonlyMap<string, number> = new Map([
  ["espresso", 1200],
  ["microcentury", 3600],
  ["longlunch", 7200],
  ["workday", 28_800],
  ["tomorrow", 86_400],
  ["testmatch", 259_200],
  ["nextweek", 604_800],
]);

function secondsIn(runtime: Value): number | undefined {
  const text = String(runtime);
  return FLAVOURS.get(text) ?? (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined);
}

function checked(key: string, value: Value, form: RegExp, wanted: string): string {
  const text = String(value);
  if (!form.test(text)) throw refusal(key, value, wanted);
  return text;
}

function refusal(key: string, value: Value, wanted: string): Error {
  const given_ = printable(JSON.stringify(value), 100);
  return new Error(`The step's htcondor_${key} is ${given_}: it must be ${wanted}.`);
}

/** Returns the time limit that a step set for HTCondor, in milliseconds. */
export function maybeOwnTimeMs(job: Pick<Job, "backend">): number | undefined {
  const { htcondor_max_runtime: runtime } = optionsOf(job);
  const seconds = runtime === undefined ? undefined : secondsIn(runtime);
  return seconds === undefined ? undefined : seconds * 1000;
}

import type { JobRequest } from "#backends/backend";
import { type GpuPool, gpuVariables } from "#backends/gpus/gpu-pool";
import type { Containers } from "#backends/containers/containers";
import { scratchFolder } from "#backends/process/attempt/attempt-folder";
import {
  secretEnvironment,
  writeSecretExports,
  writeSecretFiles,
} from "#backends/process/attempt/secret-files";
import { type Credentials, credentialsFor, credentialVariables } from "#backends/walls/credentials";
import { NO_KINIT, type TicketOptions } from "#backends/walls/kerberos/ticket";
import { MARK, markOfJob } from "#backends/process/table/marked-processes";
import { SHELL } from "#backends/process/slots/host-environment";
import type { Wall } from "#backends/walls/wall";
import { shellQuote } from "#plumbing/text/shell-quote";
import type { Command } from "#workflow/job/job";

export type Values = Readonly<Record<string, string>>;

/** The variables of a job, by source. */
export interface Variables {
  /** Variables that the backend gives to every job. */
  readonly common: Values;
  /** The user's. */
  readonly secrets: Values;
  /** The job's own variables, which win. */
  readonly own: Values;
  readonly credentials: Credentials;
}

export interface VariablesOptions extends TicketOptions {
  readonly hostId: string;
  /** Runs the jobs that name an image. */
  readonly containers?: Pick<Containers, "has"> | undefined;
  /** GPUs of the machine, if it has any. */
  readonly gpus?: Pick<GpuPool, "gpus" | "of"> | undefined;
  /** The wall between the jobs and the machine. Optional. */
  readonly wall?: Wall | undefined;
}

/** Writes the job's secrets, and returns its variables. */
export function variablesOf(request: JobRequest, folder: string, options: VariablesOptions): Variables {
  const { hostId, environment: common = {}, containers } = options;
  const { id, job } = request;
  const marks = { REPRISE_JOB_ID: id, [MARK]: markOfJob(hostId, id) };
  const home = Object.hasOwn(common, "HOME") ? {} : { HOME: scratchFolder(folder) };
  const credentials = credentialsFor(request, folder, options);
  const { ticket } = credentials;
  if (ticket && ticket.kinit === undefined && !containers?.has(id)) throw new Error(NO_KINIT);
  const leading = credentialVariables(credentials);
  const own = { ...home, ...job.environment, ...leading, ...gpuVariablesOf(id, options), ...marks };
  return { common, secrets: secretsOf(request, folder, own), own, credentials };
}

function gpuVariablesOf(id: string, { gpus, wall, containers }: VariablesOptions): Values {
  const isWalled = wall !== undefined || containers?.has(id) === true;
  return gpus ? gpuVariables(gpus.of(id), gpus.gpus, isWalled) : {};
}

/** Writes the secrets and returns their variables. A variable in the job's own specification wins. */
function secretsOf({ secrets }: JobRequest, folder: string, own: Values): Values {
  if (!secrets) return {};
  writeSecretFiles(folder, secrets);
  const given = Object.entries(secretEnvironment(folder, secrets));
  return Object.fromEntries(given.filter(([name]) => !Object.hasOwn(own, name)));
}

/**
 * Returns a command that reads the secrets from a file. For a program, a small shell reads the secrets and
 * starts the program.
 */
export function withExports(command: Command, folder: string, secrets: Values): Command {
  if (Object.keys(secrets).length === 0) return command;
  return readingExports(command, writeSecretExports(folder, secrets));
}

/** Returns a command that reads variables from a file of exports. */
export function readingExports(command: Command, file: string): Command {
  if ("argv" in command) return { argv: [SHELL, "-c", '. "$0"; exec "$@"', file, ...command.argv] };
  return { script: `. ${shellQuote(file)}\n${command.script}` };
}

export function only(values: Values, isWanted: (name: string) => boolean): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)));
}

export function pairsOf(values: Values): string[] {
  return Object.entries(values).map(([name, value]) => `${name}=${value}`);
}

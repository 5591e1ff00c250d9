import type { RuntimeName } from "#backends/containers/runtime";
import { printable } from "#plumbing/text/printable";
import type { JobEnd } from "#workflow/job/job";

/**
 * The exit codes of a runtime that has not run the command: a failure of the runtime, and the two codes of
 * shells.
 */
const RUNTIME_FAILED = 125;
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
const INIT_FAILED = 1;

/** Match the message of a runtime that has not made a container. */
const SAYS: Readonly<Record<RuntimeName, RegExp>> = {
  podman: /^Error: (.+)$/,
  docker: /^docker: (?:Error response from daemon: )?(.+)$/,
  apptainer: /^.{0,8}FATAL: *(.+)$/,
};
/** Matches the message of the `env` of an image that cannot start the program of the job. */
const ENV_SAYS = /^env: (.+)$/;
/** The exit code of an Apptainer that has not run the command. */
const APPTAINER_FAILED = 255;
/**
 * Matches docker's message if the container exists and cannot start. Podman makes and starts a container in
 * one step: all further output is the command's.
 */
const CANNOT_START = /^docker: Error response from daemon: (.+)$/;
/**
 * Matches a line that may follow the message: a line of podman's own log, for example about a busy container,
 * and the advice of docker.
 */
const NOTES = /^time="[^"]*" level=|^(?:See|Run) '.*docker run --help'/;
/** The init of podman prints this, and ends with exit code 1, as many programs do. */
const INIT_SAYS = /^ERROR \(catatonit:\d+\): failed to exec pid1: (.+)$/;
/** The message of our hook (check-binds.sh) within the error that the runtime prints when a hook fails. */
const HOOK_SAYS = /reprise: (The job was not started, .*? at that moment\.)/;
const SAID_MAX_CHARACTERS = 600;

/** Facts about the container of a job that has ended. */
interface Explanation {
  readonly image: string;
  readonly runtime: RuntimeName;
  /** True if the runtime has made the container. */
  readonly isMade: boolean;
  /** The end of the job's log. */
  readonly log: string;
}

/**
 * Returns the end of a job in a container, as it would be outside: with the exit codes of a shell for a program that the
 * image lacks, and `not-started` if the runtime could not start it.
 */
export function explainedEnd(end: JobEnd, { image, runtime, isMade, log }: Explanation): JobEnd {
  if (end.reason !== "exited" || !mayBeOfRuntime(end)) return end;
  const last = log.split("\n").findLast((line) => line.trim() !== "" && !NOTES.test(line)) ?? "";
  const init = INIT_SAYS.exec(last)?.[1];
  if (init !== undefined && end.exitCode === INIT_FAILED) {
    const exitCode = /denied|exec format/i.test(init) ? NOT_EXECUTABLE : NOT_FOUND;
    return { ...end, exitCode, detail: missing(image, init, exitCode) };
  }
  if (end.exitCode === INIT_FAILED || (isMade && runtime === "podman")) return end;
  const said = (isMade ? (runtime === "apptainer" ? ENV_SAYS : CANNOT_START) : SAYS[runtime]).exec(last)?.[1];
  if (said === undefined) return end;
  const refusal = HOOK_SAYS.exec(said)?.[1];
  if (refusal !== undefined) return { ...end, detail: refusal };
  if (end.exitCode !== (runtime === "apptainer" ? APPTAINER_FAILED : RUNTIME_FAILED))
    return { ...end, detail: missing(image, said, end.exitCode) };
  const detail = `The image ${image} could not be started: ${printable(said, SAID_MAX_CHARACTERS)}`;
  return { ...end, reason: "not-started", exitCode: null, detail };
}

/** Returns whether the exit code may be the runtime's, and the log worth a look. */
export function mayBeOfRuntime({ exitCode }: Pick<JobEnd, "exitCode">): boolean {
  return (
    exitCode === INIT_FAILED ||
    exitCode === APPTAINER_FAILED ||
    (exitCode !== null && exitCode >= RUNTIME_FAILED && exitCode <= NOT_FOUND)
  );
}

function missing(image: string, said: string, exitCode: number | null): string {
  const shown = printable(said, SAID_MAX_CHARACTERS);
  const advice =
    "The commands of a step are run by bash, which the image must contain, and the programs of the step too.";
  return exitCode === NOT_EXECUTABLE
    ? `A program of the image ${image} cannot be executed: ${shown}.`
    : `The image ${image} has no such program: ${shown}. ${advice}`;
}

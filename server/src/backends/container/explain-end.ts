import { printable } from "#plumbing/text/printable";
import type { JobEnd } from "#workflow/job/job";

/** The exit codes of a runtime that has not run the command: its own failure, and the two of shells. */
const RUNTIME_FAILED = 125;
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
const INIT_FAILED = 1;

/** Matches the prefix that a runtime prints before its own message. */
const RUNTIME_SAYS = /^(?:Error|docker|podman)(?:: Error response from daemon)?: (.+)$/;
/** Matches a line of podman's own log, which may follow its message: it says that the container was busy, for example. */
const PODMAN_NOTES = /^time="[^"]*" level=/;
/** The init of podman prints this, and ends with exit code 1, as many programs do. */
const INIT_SAYS = /^ERROR \(catatonit:\d+\): failed to exec pid1: (.+)$/;
const SAID_MAX_CHARACTERS = 600;

/**
 * Returns the end of a job in a container, as it would be outside: with the exit codes of a shell for a program that the
 * image lacks, and `not-started` if the runtime could not start it.
 */
export function explainedEnd(
  end: JobEnd,
  { image, log }: { readonly image: string; readonly log: string },
): JobEnd {
  if (end.reason !== "exited" || !mayBeOfRuntime(end)) return end;
  const last = log.split("\n").findLast((line) => line.trim() !== "" && !PODMAN_NOTES.test(line)) ?? "";
  const init = INIT_SAYS.exec(last)?.[1];
  if (init !== undefined && end.exitCode === INIT_FAILED) {
    const exitCode = /denied|exec format/i.test(init) ? NOT_EXECUTABLE : NOT_FOUND;
    return { ...end, exitCode, detail: missing(image, init, exitCode) };
  }
  if (end.exitCode === INIT_FAILED) return end;
  const said = RUNTIME_SAYS.exec(last)?.[1];
  if (said === undefined) return end;
  if (end.exitCode !== RUNTIME_FAILED) return { ...end, detail: missing(image, said, end.exitCode) };
  const detail = `The image ${image} could not be started: ${printable(said, SAID_MAX_CHARACTERS)}`;
  return { ...end, reason: "not-started", exitCode: null, detail };
}

/** Returns whether the exit code may be the runtime's, so that it is worth looking at the log. */
export function mayBeOfRuntime({ exitCode }: Pick<JobEnd, "exitCode">): boolean {
  return (
    exitCode === INIT_FAILED || (exitCode !== null && exitCode >= RUNTIME_FAILED && exitCode <= NOT_FOUND)
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

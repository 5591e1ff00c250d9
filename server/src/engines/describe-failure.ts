import type { JobEnd } from "#workflow/job/job";

/** Returns the sentence that describes a job's failure: `Step "fit" failed: its command exited with code 3.` */
export function describeFailure(what: string, end: JobEnd): string {
  const detail = end.detail ? ` ${end.detail}` : "";
  switch (end.reason) {
    case "exited":
      return `${what} failed: its command ${exitOf(end.exitCode)}.${detail}`;
    case "time-limit":
      return `${what} failed: its command exceeded its time limit and was ended.${detail}`;
    case "output-limit":
      return `${what} failed: its command exceeded its output limit and was ended.${detail}`;
    case "out-of-memory":
      return `${what} failed: its command exceeded its memory limit and was ended.${detail}`;
    case "process-limit":
      return `${what} failed: its command started too many processes and was ended.${detail}`;
    case "disk-limit":
      return `${what} failed: its command wrote too much to disk and was ended.${detail}`;
    case "file-limit":
      return `${what} failed: its command made too many files and was ended.${detail}`;
    case "output-lost":
      return `${what} failed: its output could not be stored, so its log is incomplete; is the disk full?${detail}`;
    case "outputs-not-visible":
      return `${what} failed: the server cannot see the files that its command made on another machine.${detail}`;
    case "cancelled":
      return `${what} was cancelled.${detail}`;
    case "lost":
      if (end.detail) return `${what} was lost.${detail} It is unknown how far it came.`;
      return (
        `${what} was lost: its process ended without an exit status (the machine restarted, or its ` +
        "supervisor was killed), so it is unknown how far it came."
      );
    case "not-started":
      return `${what} could not be started.${detail}`;
  }
}

/** Describes an exit code. Shells report death by signal n as 128 + n. */
function exitOf(code: number | null): string {
  if (code === 127) return "exited with code 127 (command not found)";
  if (code === 126) return "exited with code 126 (command not executable)";
  if (code !== null && code > 128 && code < 128 + 65) return `was ended by signal ${code - 128}`;
  return `exited with code ${code}`;
}

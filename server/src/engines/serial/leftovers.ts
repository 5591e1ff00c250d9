import type { RunRequest, Leftovers, Stamped } from "#engines/engine";
import { historyOf } from "#engines/serial/evidence";
import { judge } from "#engines/serial/judge";

/** Returns the files left by rerun commands in the previous run, except files touched by kept commands. */
export function leftovers(input: RunRequest, stamped: Stamped | undefined): Leftovers {
  const previous = input.restart?.previous;
  if (!previous) return { made: [], perhapsMade: [] };
  const judged = judge(input, stamped);
  const kept = new Set(judged.filter(({ verdict }) => verdict !== "runs").map(({ key }) => key));
  const { touched } = historyOf(previous);
  const isKeptJob = (index: number) => kept.has(previous.jobs[index]!.key);
  const isKept = new Set(
    touched.flatMap((files, index) => (isKeptJob(index) ? [...(files?.keys() ?? [])] : [])),
  );
  const inputs = new Set((previous.inputs ?? []).map(({ path }) => path));
  // In a new workspace, the first inspection sees uploaded files together with files made by the first command.
  const firstLook = previous.stamps === null ? touched.findIndex((files) => files !== undefined) : -1;
  const made = new Set<string>();
  const perhapsMade = new Set<string>();
  for (const [position, files] of touched.entries()) {
    if (isKeptJob(position) || !files) continue;
    for (const [path, stamp] of files) {
      const wasFound = previous.stamps !== null && Object.hasOwn(previous.stamps, path);
      if (stamp === null || isKept.has(path) || inputs.has(path) || wasFound) continue;
      if (position === firstLook) perhapsMade.add(path);
      else if (!perhapsMade.has(path)) made.add(path);
    }
  }
  return { made: [...made], perhapsMade: [...perhapsMade] };
}

import type { Run } from "#store/runs/runs";
import { fullName } from "#workflow/run/run-name";

/** Returns the full name of a run, such as `fit.3.1`. */
export function fullNameOf(run: Pick<Run, "name" | "runMajor" | "runMinor">): string {
  return fullName(run.name, run.runMajor, run.runMinor);
}

import type { Workflow } from "#store/workflows";
import { fullName } from "#workflow/run-name";

/** Returns the full name of a run, such as `fit.3.1`. */
export function fullNameOf(workflow: Pick<Workflow, "name" | "runMajor" | "runMinor">): string {
  return fullName(workflow.name, workflow.runMajor, workflow.runMinor);
}

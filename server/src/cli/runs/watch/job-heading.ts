import type { components } from "reprise-sdk";
import { printable } from "#plumbing/text/printable";

type NamedJob = Pick<components["schemas"]["Job"], "step" | "label" | "attempt">;

/** Returns the line above the output of a job: `==> fit · task 7 (s07.txt) <==`. */
export function jobHeading({ label, attempt }: Omit<NamedJob, "step">): string {
  return `==> ${printable(label, 200)}${attempt > 1 ? ` · attempt ${attempt}` : ""} <==`;
}

/** True if the job belongs to one of these steps, or if there are none. Yadage names each task of a step `fit_6`. */
export function isOfSteps({ step, label }: Omit<NamedJob, "attempt">, steps: readonly string[]): boolean {
  if (steps.length === 0 || steps.includes(step)) return true;
  return steps.some((one) => label.startsWith(`${one} · `));
}

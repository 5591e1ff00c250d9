import type { components } from "reprise-sdk";
import { printable } from "#plumbing/text/printable";

type NamedJob = Pick<components["schemas"]["Job"], "key" | "step" | "label" | "attempt" | "display_command">;

const LABEL_LENGTH = 200;
const COMMAND_LENGTH = 100;

/**
 * The lines above the output of the jobs of a run. Jobs with the same label, such as the commands of a serial step, are
 * told apart by number and command.
 */
export class JobHeadings {
  /** Job numbers, counted from 1, by label and then by job key. */
  readonly #numbers = new Map<string, Map<string, number>>();

  /** Adds the next jobs of the run, in order of submission. A further attempt of a job keeps the job's number. */
  add(jobs: readonly Pick<NamedJob, "label" | "key">[]): void {
    for (const { label, key } of jobs) {
      const numbers = this.#numbers.get(label) ?? new Map<string, number>();
      this.#numbers.set(label, numbers);
      if (!numbers.has(key)) numbers.set(key, numbers.size + 1);
    }
  }

  /** Returns `==> fit · task 7 (s07.txt) <==`, or `==> fit · command 2: python plot.py <==`. */
  of({ label, key, attempt, display_command: shownCommand }: Omit<NamedJob, "step">): string {
    const numbers = this.#numbers.get(label);
    const isAlone = label !== "" && (numbers?.size ?? 0) < 2;
    const command = printable(shownCommand.trim().replace(/\s+/g, " "), COMMAND_LENGTH);
    const parts = [
      ...(label === "" ? [] : [printable(label, LABEL_LENGTH)]),
      ...(attempt > 1 ? [`attempt ${attempt}`] : []),
      ...(isAlone ? [] : [`command ${numbers?.get(key) ?? 1}: ${command}`]),
    ];
    return `==> ${parts.join(" · ")} <==`;
  }
}

/**
 * True if the job belongs to one of the steps, or if `steps` is empty. Yadage names each task of a step
 * `fit_6`.
 */
export function isOfSteps(
  { step, label }: Pick<NamedJob, "step" | "label">,
  steps: readonly string[],
): boolean {
  if (steps.length === 0 || steps.includes(step)) return true;
  return steps.some((one) => label.startsWith(`${one} · `));
}

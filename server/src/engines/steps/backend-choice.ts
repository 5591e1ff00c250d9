import type { BackendChoice } from "#workflow/job/job";

/** Keys of a step for a single backend. The time and memory limits are excluded, because they apply to every job. */
const OPTION = /^(?:htcondor|slurm|c4p|kubernetes)_(?!job_timeout$|memory_limit$)/;

type Option = string | number | boolean;

/** Returns the backend requested by a step, with the step's options for the backend. */
export function backendChoice(step: object): { readonly backend?: BackendChoice } {
  const { compute_backend: name } = step as { readonly compute_backend?: unknown };
  if (typeof name !== "string" || name === "") return {};
  const options = Object.entries(step).filter((entry): entry is [string, Option] => isOption(entry));
  return { backend: { name, ...(options.length > 0 && { options: Object.fromEntries(options) }) } };
}

function isOption([key, value]: [string, unknown]): boolean {
  return OPTION.test(key) && ["string", "number", "boolean"].includes(typeof value);
}

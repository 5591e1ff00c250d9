import type { JobsWanted } from "../../api/job-pages.ts";

/** The filter of the list of jobs, as the address has it: `?node=2&state=failed&find=s07`. */

/** Statuses of jobs, with the words of the page. */
export const JOB_STATES = {
  running: "Running",
  queued: "Queued",
  created: "Waiting",
  finished: "Finished",
  failed: "Failed",
  stopped: "Stopped",
} as const satisfies Record<NonNullable<JobsWanted["status"]>, string>;

export function wantedIn(search: URLSearchParams): JobsWanted {
  const [node, state, text] = ["node", "state", "find"].map((name) => search.get(name) || undefined);
  return {
    ...(node !== undefined && { node }),
    ...(isState(state) && { status: state }),
    ...(text !== undefined && { search: text }),
  };
}

export function isFiltered({ status, search }: JobsWanted): boolean {
  return status !== undefined || search !== undefined;
}

/** Omits empty fields, so that an address without a filter is short. */
export function withoutEmpty(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

function isState(word: string | undefined): word is NonNullable<JobsWanted["status"]> {
  return word !== undefined && Object.hasOwn(JOB_STATES, word);
}

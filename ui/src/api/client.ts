import { ApiError, connect } from "reprise-sdk";
import { setContact } from "./contact.ts";
import { pageKey } from "./page-key.ts";
import { noteServerTime } from "./signed-address.ts";

/** Header with the page's half of the session. */
const PAGE_KEY = "reprise-page-key";

/**
 * The only API client of the page. The browser's cookie and the page key authenticate every request. Requests
 * without a response are sent again, so an open page survives a restart of the server.
 */
export const client = connect({
  url: location.origin,
  fetch: async (request) => {
    // Read each time: another tab may have signed in again.
    request.headers.set(PAGE_KEY, pageKey());
    const response = await fetch(request);
    noteServerTime(response);
    setContact("reached");
    return response;
  },
  onRetry: () => setContact("away"),
});

/** Returns the path parameters of a run. */
export function of(run: string) {
  return { path: { workflow_id_or_name: run } };
}

/** Returns the address of something that belongs to a run. */
export function runAddress(run: string, rest: string): string {
  return `/api/workflows/${encodeURIComponent(run)}/${rest}`;
}

/** Returns the address of a file in the workspace of a run. */
export function fileAddress(run: string, name: string): string {
  return runAddress(run, `workspace/${name.split("/").map(encodeURIComponent).join("/")}`);
}

/** Returns whether the server refused, and did not just fail to respond. */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status !== 0;
}

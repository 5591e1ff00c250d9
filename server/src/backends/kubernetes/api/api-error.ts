import { BackendAwayError } from "#backends/backend";
import { printable } from "#plumbing/text/printable";

/** The `Status` with which the API server refuses a call. */
export interface ApiStatus {
  readonly reason?: string;
  readonly message?: string;
}

/** The API server understood a call and refused it. A later call would be refused as well. */
export class ApiRefusal extends Error {
  readonly status: number;
  readonly reason: string | undefined;

  constructor(sentence: string, status: number, reason: string | undefined) {
    super(sentence);
    this.name = "ApiRefusal";
    this.status = status;
    this.reason = reason;
  }
}

/**
 * Returns the error for an answer of the API server. A `BackendAwayError` if it says nothing about the call itself:
 * the server is overloaded or not ready, the credentials are refused, a right is missing, or a quota is used up. An
 * administrator changes that, and the job waits.
 */
export function errorOf(call: string, status: number, { reason, message }: ApiStatus): Error {
  const said = printable((message ?? "").replaceAll(/\s+/g, " ").trim(), 600) || `HTTP status ${status}`;
  const sentence = `Kubernetes: ${call} failed: ${said.replace(/\.$/, "")}.`;
  if (status === 401) return new UnauthorizedError(sentence);
  if (isWeather(status, said)) return new BackendAwayError(sentence);
  return new ApiRefusal(sentence, status, reason);
}

/** The API server does not accept the credentials. */
export class UnauthorizedError extends BackendAwayError {}

/** Statuses about the API server, not about the call. */
const WEATHER: ReadonlySet<number> = new Set([408, 425, 429]);

function isWeather(status: number, message: string): boolean {
  if (status >= 500 || WEATHER.has(status)) return true;
  if (status === 403) return WAITS.test(message);
  return status === 404 && /^namespaces? .*not found/.test(message);
}

/** Refusals that end without a change of the job: a missing right, a full quota, a namespace on its way out. */
const WAITS =
  /cannot (create|get|list|watch|delete|patch) resource|exceeded quota|status unknown for quota|being terminated/;

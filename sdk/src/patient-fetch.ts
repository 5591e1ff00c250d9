import { reasonCode } from "./errors.ts";
import { type After, systemAfter } from "./pause.ts";

export type Fetch = (request: Request) => Promise<Response>;

export interface Patience {
  /** Pauses before each repetition of a request; empty: the request is sent once. */
  readonly retryPausesMs?: readonly number[];
  /** Called before each repetition, to show that the client is waiting. */
  readonly onRetry?: (reason: string) => void;
  /** Called if a response takes longer than usual; the client keeps waiting. */
  readonly onSlow?: () => void;
  /**
   * Replacement for the system's timer: calls back after a delay, and returns a function that cancels the
   * call.
   */
  readonly after?: After;
}

/** Says whether a server has ever started to respond; all requests of a client share it. */
export interface Contact {
  wasThere: boolean;
}

/** In total about as long as a server takes to restart. */
const PAUSES_MS = [100, 200, 400, 800, 1600, 3200, 6400];

/** Longer than the longest deliberate delay of a server, which is ten seconds. */
const SLOW_AFTER_MS = 15_000;

/** Statuses of a proxy while the server behind it is down. */
const AWAY_STATUSES = [502, 503, 504];

/** The connection broke: the request may have been carried out or not. */
const BROKEN_CODES = ["ECONNRESET", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET"];

/**
 * Sends a request again if no response arrived. Every change carries an `Idempotency-Key`, equal in all
 * attempts, so that the server performs the change only once. If no server has ever responded, the client
 * does not wait: a wrong address is more likely than a restarting server.
 */
export function patientFetch(
  fetch: Fetch,
  { retryPausesMs = PAUSES_MS, onRetry, onSlow, after = systemAfter }: Patience,
  contact: Contact = { wasThere: false },
): Fetch {
  const pause = (ms: number) => new Promise<void>((resolve) => void after(ms, resolve));
  const fetchOnce: Fetch = async (request) => {
    const isHere = onSlow ? after(SLOW_AFTER_MS, onSlow) : undefined;
    return fetch(request).finally(isHere);
  };
  return async (request) => {
    for (let round = 0; ; round += 1) {
      const isLast = round >= retryPausesMs.length;
      try {
        const response = await fetchOnce(isLast ? request : request.clone());
        if (isLast || !AWAY_STATUSES.includes(response.status)) return response;
        onRetry?.(`The server answered ${response.status}`);
        await response.body?.cancel();
      } catch (error) {
        if (isLast || request.signal.aborted || !mayPass(error, contact.wasThere)) throw error;
        onRetry?.("The server does not answer");
      }
      await pause(retryPausesMs[round]!);
    }
  };
}

function mayPass(error: unknown, wasThere: boolean): boolean {
  return wasThere || BROKEN_CODES.includes(reasonCode(error) ?? "");
}

const KEY = "idempotency-key";
const CHANGES = ["POST", "PUT", "PATCH", "DELETE"];

/** Returns the same request. Adds a new key if the request is a change without a key. */
export function withKey(request: Request): Request {
  if (CHANGES.includes(request.method) && !request.headers.has(KEY)) request.headers.set(KEY, newKey());
  return request;
}

/** Avoids `randomUUID`, which browsers offer only on secure pages. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

import { reasonCode } from "./errors.ts";

export type Fetch = (request: Request) => Promise<Response>;

export interface Patience {
  /** How long is waited before each time that a request is sent again; empty: it is sent once. */
  readonly retryPausesMs?: readonly number[];
  /** Told each time, for whoever shows that something is being waited for. */
  readonly onRetry?: (reason: string) => void;
  /** Told when an answer lets wait for itself longer than usual; the request goes on. */
  readonly onSlow?: () => void;
  /** Instead of the system's timer: calls back so much later, answers how to call it off. */
  readonly after?: (ms: number, callback: () => void) => () => void;
}

/** Whether a server has ever begun an answer; all requests of a client share it. */
export interface Contact {
  wasThere: boolean;
}

/** Together about as long as a server takes to be started anew. */
const PAUSES_MS = [100, 200, 400, 800, 1600, 3200, 6400];

/** Longer than the longest that a server takes on purpose, which is ten seconds. */
const SLOW_AFTER_MS = 15_000;

/** What a proxy says while the server behind it is away. */
const AWAY_STATUSES = [502, 503, 504];

/** The connection broke: the request may have been carried out or not. */
const BROKEN_CODES = ["ECONNRESET", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET"];

/**
 * Sends a request again when it got no answer. Every change carries an `Idempotency-Key`, the same each time, so that the
 * server carries it out once, however often it hears of it. Where nobody has ever answered, nobody is waited for: that
 * is a wrong address more often than a server that is being restarted.
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

/** The same request, with a key of its own if it changes something and has none. */
export function withKey(request: Request): Request {
  if (CHANGES.includes(request.method) && !request.headers.has(KEY)) request.headers.set(KEY, newKey());
  return request;
}

/** Not `randomUUID`: browsers have that on secure pages alone. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function systemAfter(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

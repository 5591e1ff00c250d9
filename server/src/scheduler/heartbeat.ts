import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import type { Connection } from "#store/database/database";
import { LEASE_MS, registerHost, renewHost, signOffHost } from "#store/hosts/hosts";

/**
 * Keeps this host's row in the database fresh. If the row becomes stale, other hosts may take over the runs
 * of this host.
 */
export interface Heartbeat {
  /** Resolves when the database knows the host. */
  start(): Promise<void>;
  /** Returns whether the host certainly still holds its leases. */
  holdsLeases(): boolean;
  /** Signs the host off, so that other hosts can take over without waiting for the leases to expire. */
  stop(): Promise<void>;
}

interface HeartbeatOptions {
  readonly db: Connection;
  readonly clock: Clock;
  readonly host: Parameters<typeof registerHost>[1];
  /**
   * The row could not be renewed in time (the database is unreachable, this process was asleep): all leases may be
   * lost.
   */
  readonly onLost: () => void;
  /** The row could be renewed again. */
  readonly onBack: () => void;
  readonly log: { error(details: object, message: string): void };
}

const RENEW_EVERY_MS = 5000;

export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  return new Beat(options);
}

class Beat implements Heartbeat {
  readonly #options: HeartbeatOptions;
  /** Taken before the request, so that the row is never older than assumed. */
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #isLost = false;
  #cancelTimer: (() => void) | undefined;
  /** At most one request: while the database leaves a request unanswered, no second request is sent. */
  #renewing: Promise<void> | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { db, clock, host } = this.#options;
    const askedAtMs = clock.elapsedMs();
    await registerHost(db, host);
    crashPoint("host-registered");
    this.#renewedAtMs = askedAtMs;
    this.#beatAgain();
  }

  holdsLeases(): boolean {
    return !this.#isLost && this.#isRecent();
  }

  async stop(): Promise<void> {
    const { db, host, log } = this.#options;
    this.#cancelTimer?.();
    await this.#renewing;
    try {
      await signOffHost(db, host.id);
      crashPoint("host-signed-off");
    } catch (error) {
      log.error(
        { err: error },
        "This server could not sign off: other servers wait for its leases to expire before they take its runs.",
      );
    }
  }

  #isRecent(): boolean {
    return this.#options.clock.elapsedMs() - this.#renewedAtMs < LEASE_MS;
  }

  #beatAgain(): void {
    this.#cancelTimer = this.#options.clock.after(RENEW_EVERY_MS, () => {
      this.#beatAgain();
      if (!this.holdsLeases()) this.#lose();
      this.#renewing ??= this.#tryToRenew().finally(() => (this.#renewing = undefined));
    });
  }

  async #tryToRenew(): Promise<void> {
    try {
      await this.#renew();
    } catch (error) {
      this.#options.log.error({ err: error }, "This server could not renew its leases; it will try again.");
    }
  }

  async #renew(): Promise<void> {
    const { db, clock, host, onBack } = this.#options;
    const askedAtMs = clock.elapsedMs();
    if (!(await renewHost(db, host.id))) {
      this.#lose();
      await registerHost(db, host);
    }
    crashPoint("host-renewed");
    this.#renewedAtMs = askedAtMs;
    if (this.#isLost && this.#isRecent()) {
      this.#isLost = false;
      onBack();
    }
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#options.onLost();
  }
}

import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import type { Connection } from "#store/database";
import { LEASE_MS, registerHost, renewHost, signOffHost } from "#store/hosts";

/** Keeps this host's row in the database fresh. Without it, others may take over what the host holds. */
export interface Heartbeat {
  /** Resolves when the database knows the host. */
  start(): Promise<void>;
  /** Whether the host certainly still holds its leases. */
  isSure(): boolean;
  /** Signs the host off, so that others need not wait for its leases to expire. */
  stop(): Promise<void>;
}

interface HeartbeatOptions {
  readonly db: Connection;
  readonly clock: Clock;
  readonly host: { readonly id: string; readonly name: string };
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

export function createHeartbeat({ db, clock, host, onLost, onBack, log }: HeartbeatOptions): Heartbeat {
  /** Measured from before the request, so that the row is never older than assumed. */
  let renewedAtMs = Number.NEGATIVE_INFINITY;
  let isLost = false;
  let callOff: (() => void) | undefined;
  /** At most one: while the database leaves a request unanswered, no second one is sent. */
  let renewing: Promise<void> | undefined;

  const isRecent = () => clock.elapsedMs() - renewedAtMs < LEASE_MS;
  const isSure = () => !isLost && isRecent();

  async function renew(): Promise<void> {
    const askedAtMs = clock.elapsedMs();
    if (!(await renewHost(db, host.id))) {
      lose();
      await registerHost(db, host);
    }
    crashPoint("host-renewed");
    renewedAtMs = askedAtMs;
    if (isLost && isRecent()) {
      isLost = false;
      onBack();
    }
  }

  function lose(): void {
    if (isLost) return;
    isLost = true;
    onLost();
  }

  async function tryToRenew(): Promise<void> {
    try {
      await renew();
    } catch (error) {
      log.error({ err: error }, "This server could not renew its place in the database; it is tried again.");
    }
  }

  function beatAgain(): void {
    callOff = clock.after(RENEW_EVERY_MS, () => {
      beatAgain();
      if (!isSure()) lose();
      renewing ??= tryToRenew().finally(() => (renewing = undefined));
    });
  }

  return {
    async start() {
      const askedAtMs = clock.elapsedMs();
      await registerHost(db, host);
      crashPoint("host-registered");
      renewedAtMs = askedAtMs;
      beatAgain();
    },
    isSure,
    async stop() {
      callOff?.();
      await renewing;
      try {
        await signOffHost(db, host.id);
        crashPoint("host-signed-off");
      } catch (error) {
        log.error(
          { err: error },
          "This server could not sign off: others wait until it has been silent a while.",
        );
      }
    },
  };
}

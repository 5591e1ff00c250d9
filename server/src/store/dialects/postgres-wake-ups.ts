import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { Client, type ClientConfig } from "pg";
import type { Connection } from "#store/database/connection";
import type { StopListening, WakeUp, WakeUpListener, WakeUps } from "#store/database/wake-ups";

/** Channel for all wake-ups: a listener has one connection, and the messages are short. */
const CHANNEL = "reprise";

/** Delay before the next attempt to connect: doubled each time, up to the maximum. */
const RETRY_FIRST_MS = 100;
const RETRY_MAX_MS = 5000;
/** Limit for a clean close. Both sides close a connection, and the other side may not respond. */
const GOODBYE_MS = 1000;

type TellTrouble = (error: unknown, message: string) => void;

/** Wake-ups through LISTEN and NOTIFY: at commit, PostgreSQL delivers them to all listeners in any process. */
export class PostgresWakeUps implements WakeUps {
  readonly #config: ClientConfig;
  readonly #onTrouble: TellTrouble;

  constructor(config: ClientConfig, onTrouble: TellTrouble) {
    this.#config = config;
    this.#onTrouble = onTrouble;
  }

  async notify(db: Connection, wakeUp: WakeUp): Promise<void> {
    await sql`select pg_notify(${CHANNEL}, ${JSON.stringify(wakeUp)})`.execute(db);
  }

  listen(listener: WakeUpListener): StopListening {
    const listening = new Listening(this.#config, this.#onTrouble, listener);
    return () => listening.stop();
  }
}

/** A listener with a dedicated connection for as long as it listens, because pooled connections change hands. */
class Listening {
  readonly #config: ClientConfig;
  readonly #onTrouble: TellTrouble;
  readonly #listener: WakeUpListener;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  /** Failed attempts since the connection last worked. */
  #failures = 0;
  #leave: () => void = () => undefined;

  constructor(config: ClientConfig, onTrouble: TellTrouble, listener: WakeUpListener) {
    this.#config = config;
    this.#onTrouble = onTrouble;
    this.#listener = listener;
    this.#done = this.#stay();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#leave();
    await this.#done;
  }

  /** Stays connected, and reconnects after each break, until it is stopped. */
  async #stay(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#hearUntilBroken();
      } catch (error) {
        if (this.#failures === 0)
          this.#onTrouble(error, "No wake-ups can be heard; connecting is tried again.");
      }
      const waitMs = Math.min(RETRY_FIRST_MS * 2 ** this.#failures, RETRY_MAX_MS);
      this.#failures += 1;
      // Rejects when listening is stopped, and the wait is over in any case.
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #hearUntilBroken(): Promise<void> {
    const client = new Client(this.#config);
    const ended = new Promise<void>((resolve, reject) => {
      this.#leave = resolve;
      client.once("error", reject);
      client.once("end", resolve);
    });
    // Later errors say nothing new once the connection has ended, but an error without a listener would end the
    // process.
    client.on("error", () => undefined);
    client.on("notification", ({ payload }) => this.#hear(payload ?? ""));
    try {
      await Promise.race([connectAndListen(client), ended]);
      if (!this.#stopping.signal.aborted) this.#tellGap();
      await ended;
    } finally {
      await Promise.race([client.end(), delay(GOODBYE_MS, undefined, { ref: false })]);
    }
  }

  #tellGap(): void {
    this.#failures = 0;
    this.#listener.afterGap();
  }

  /** Passes a wake-up on. Invalid messages are possible: any program may notify any channel of a database. */
  #hear(payload: string): void {
    try {
      this.#listener.hear(JSON.parse(payload) as WakeUp);
    } catch (error) {
      this.#onTrouble(error, "A wake-up could not be read.");
    }
  }
}

async function connectAndListen(client: Client): Promise<void> {
  await client.connect();
  await client.query(`listen ${CHANNEL}`);
}

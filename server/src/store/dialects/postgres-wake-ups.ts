import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { Client, type ClientConfig } from "pg";
import type { Connection } from "#store/connection";
import type { StopListening, WakeUp, WakeUpListener, WakeUps } from "#store/wake-ups";

/** One channel for everything: a listener has one connection, and what is said is short. */
const CHANNEL = "reprise";

/** How long to wait before the next attempt to connect: doubled each time, up to the second. */
const RETRY_FIRST_MS = 100;
const RETRY_MAX_MS = 5000;
/** A connection is closed by both sides, and the other may have fallen silent. */
const GOODBYE_MS = 1000;

type TellTrouble = (error: unknown, message: string) => void;

/** LISTEN and NOTIFY: PostgreSQL hands over at commit what was said in a transaction, to all who listen in any process. */
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

/** A connection of its own, for as long as somebody listens: those of a pool change hands. */
class Listening {
  readonly #config: ClientConfig;
  readonly #onTrouble: TellTrouble;
  readonly #listener: WakeUpListener;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  /** Since the last time that somebody could be heard. */
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

  /** Connected whenever it can be, until it is stopped. */
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
      // It rejects when listening is stopped: then there is nothing to wait for.
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
    // Once it has ended for one reason, others say nothing new; but an error without a listener ends the process.
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

  /** Any program may say something on any channel of a database. */
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

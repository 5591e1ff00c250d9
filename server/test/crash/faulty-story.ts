import { setTimeout as delay } from "node:timers/promises";
import { serialEngine } from "#engines/serial/serial-engine";
import { messageOf } from "#plumbing/errors";
import { systemRandom } from "#plumbing/ids";
import type { Server } from "#app/compose";
import { maybeRun } from "#store/runs/runs";
import { isLive } from "#workflow/run/run-status";
import { Dice } from "../simulation/dice.ts";
import { type FakeBackend, fakeBackend } from "../support/fakes/fake-backend.ts";
import { FaultyCluster } from "./faulty-cluster.ts";
import { type FaultKind, type FaultyStore, faultyStore } from "../support/fakes/faulty-store.ts";
import { hastyClock } from "../support/fakes/hasty-clock.ts";
import { insistentPerson } from "./insistent-person.ts";
import { type RunFixture, runFixture } from "../support/run-fixture.ts";
import { runnable } from "../support/server-parts.ts";
import { checkStory, watchStatuses } from "./story-checks.ts";
import { surveyEngine } from "../support/engines/survey-engine.ts";
import { evaluateTiny } from "../support/engines/tiny-expressions.ts";

/** Counts of events in a story, for tests of the number of faults and deaths. */
export interface Told {
  readonly faults: ReadonlyMap<FaultKind, number>;
  readonly deaths: number;
  readonly runs: number;
  readonly jobs: number;
}

/** Share of failing store calls. */
const RATE = 0.05;
/** Speed of the clock: half a second before the first retry becomes 10 ms. */
const SPEED = 50;
/** Far longer than any story takes: a run that is still live is stuck. */
const STUCK_AFTER_MS = 15_000;

const ENGINES = [runnable(serialEngine), runnable(surveyEngine, evaluateTiny)];

/**
 * Tells a story: runs that are started and sometimes stopped by persistent users, a store that fails, servers that die
 * in the middle, jobs that fail. In the end everything must be right. Everything follows from the seed, except the
 * timing.
 */
export async function tellStory(seed: number): Promise<Told> {
  const story = await Story.open(seed);
  try {
    return await story.tell();
  } catch (error) {
    throw new Error(`The story of seed ${seed}: ${messageOf(error)}\n${story.lastErrors()}`, {
      cause: error,
    });
  } finally {
    await story.close();
  }
}

/** A server from start to death. */
interface Life {
  readonly store: FaultyStore;
  readonly server: Server;
}

class Story {
  readonly #seed: number;
  readonly #dice: Dice;
  readonly #clock = hastyClock(SPEED);
  readonly #backend: FakeBackend;
  readonly #fixture: RunFixture;
  readonly #lives: Life[] = [];
  readonly #snapshotEveryEvents: number;
  #isOver = false;

  static async open(seed: number): Promise<Story> {
    const backend = fakeBackend();
    const fixture = await runFixture(backend, { clock: hastyClock(SPEED) });
    await watchStatuses(fixture.db);
    return new Story(seed, backend, fixture);
  }

  constructor(seed: number, backend: FakeBackend, fixture: RunFixture) {
    this.#seed = seed;
    this.#dice = new Dice(seed, "story");
    this.#backend = backend;
    this.#fixture = fixture;
    this.#snapshotEveryEvents = this.#dice.between(2, 6);
  }

  async tell(): Promise<Told> {
    const isOver = () => this.#isOver;
    const cluster = new FaultyCluster(this.#backend, new Dice(this.#seed, "cluster"));
    const runs = Array.from({ length: this.#dice.between(2, 5) }, () => systemRandom.uuid());
    await this.#begin();
    const meanwhile = [cluster.work(isOver), this.#die()];
    await this.#people(runs);
    await this.#untilOver(runs);
    this.#isOver = true;
    await Promise.all(meanwhile);
    await this.#fixture.settle();
    await checkStory(this.#fixture.db, this.#backend, runs);
    return {
      faults: sumOf(this.#lives.map(({ store }) => store.faults)),
      deaths: this.#lives.length - 1,
      runs: runs.length,
      jobs: this.#backend.started.length,
    };
  }

  lastErrors(): string {
    const { errors, intendedErrors } = this.#fixture;
    return [...intendedErrors.slice(-5), ...errors.slice(-5)].join("\n");
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#fixture.close();
  }

  async #people(runs: readonly string[]): Promise<void> {
    const caller = { id: await this.#fixture.addUser(), email: "a@b.c", isAdmin: false };
    const person = (id: string, index: number) => {
      const dice = new Dice(this.#seed, `person ${index}`);
      return insistentPerson(id, {
        dice,
        caller,
        server: () => this.#lives.at(-1)!.server.operations,
      });
    };
    await Promise.all(runs.map(person));
  }

  /** Starts a server, repeatedly if its store prevents the start. */
  async #begin(): Promise<void> {
    for (;;) {
      const dice = new Dice(this.#seed, `store ${this.#lives.length}`);
      const store = faultyStore(this.#fixture.db, { dice, rate: RATE, slowMs: 10 });
      const server = this.#fixture.server({
        db: store.db,
        clock: this.#clock,
        engines: ENGINES,
        maxRunsAtOnce: this.#dice.between(1, 4),
        capacity: { cores: this.#dice.between(1, 4), memoryBytes: 2 ** 40 },
        snapshotEveryEvents: this.#snapshotEveryEvents,
      });
      this.#lives.push({ store, server });
      try {
        return await server.start();
      } catch {
        await this.#end();
      }
    }
  }

  /** Ends the server, by a crash or in good order. No component may depend on the server afterwards. */
  async #end(): Promise<void> {
    const { store, server } = this.#lives.at(-1)!;
    if (this.#dice.chance(0.7)) store.cut();
    await server.close({ stopJobs: false });
    store.cut();
  }

  async #die(): Promise<void> {
    for (let deaths = this.#dice.between(0, 4); deaths > 0; deaths -= 1) {
      await delay(this.#dice.between(5, 60));
      if (this.#isOver) return;
      await this.#end();
      await this.#begin();
    }
  }

  async #untilOver(runs: readonly string[]): Promise<void> {
    const beganAtMs = performance.now();
    for (const id of runs) {
      for (;;) {
        const run = (await maybeRun(this.#fixture.db, id))!;
        if (!isLive(run.status)) break;
        if (performance.now() - beganAtMs > STUCK_AFTER_MS) {
          throw new Error(`The run ${id} is stuck: ${run.status}, ${run.waitingFor ?? "waits for nothing"}.`);
        }
        await delay(3);
      }
    }
  }
}

function sumOf(all: readonly ReadonlyMap<FaultKind, number>[]): Map<FaultKind, number> {
  const sum = new Map<FaultKind, number>();
  for (const [kind, count] of all.flatMap((one) => [...one])) sum.set(kind, (sum.get(kind) ?? 0) + count);
  return sum;
}

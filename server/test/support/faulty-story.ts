import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { JobRequest } from "#backends/backend";
import type { Engine } from "#engines/engine";
import { serialEngine } from "#engines/serial/serial-engine";
import type { Caller } from "#operations/context";
import { startWorkflow } from "#operations/start-workflow";
import { stopWorkflow } from "#operations/stop-workflow";
import { derivedUuid } from "#plumbing/ids";
import { messageOf, Refusal } from "#plumbing/errors";
import { hostInProcess } from "#runner/engine-host";
import type { Scheduler } from "#scheduler/scheduler";
import { transaction } from "#store/database";
import { insertWorkflow, maybeWorkflow } from "#store/workflows";
import type { Language } from "#workflow/language";
import { isLive } from "#workflow/run-status";
import type { Specification } from "#workflow/specification/specification";
import { Dice } from "../simulation/dice.ts";
import { type FakeBackend, fakeBackend } from "./fake-backend.ts";
import { type FaultKind, type FaultyStore, faultyStore } from "./faulty-store.ts";
import { hastyClock } from "./hasty-clock.ts";
import { type RunFixture, runFixture } from "./run-fixture.ts";
import { checkStory, watchStatuses } from "./story-checks.ts";
import { surveyEngine } from "./survey-engine.ts";
import { surveySpecification } from "./surveys.ts";
import { evaluateTiny } from "./tiny-expressions.ts";

/** What happened in a story, so that a test can tell that something did. */
export interface Told {
  readonly faults: ReadonlyMap<FaultKind, number>;
  readonly deaths: number;
  readonly runs: number;
  readonly jobs: number;
}

/** Of the store's answers, and of what the cluster is asked. */
const RATE = 0.05;
const CLUSTER_RATE = 0.03;
/** Half a second before the first new attempt becomes 10 ms. */
const SPEED = 50;
/** Far more than any story takes: by then a run is stuck. */
const STUCK_AFTER_MS = 15_000;

const ENGINES: ReadonlyMap<Language, Engine> = new Map<Language, Engine>([
  ["serial", serialEngine as Engine],
  ["cwl", surveyEngine as Engine],
]);
const HOSTS = [...ENGINES].map(
  ([language, engine]) => [language, hostInProcess(engine, evaluateTiny)] as const,
);

/**
 * Some runs, started and now and then stopped by people who ask again when they hear of an error; a store that goes
 * wrong; servers that die in the middle; jobs that fail. In the end everything must be as it should. All of it follows
 * from the seed but the moments at which things happen.
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

/** One server, from its start to its death. */
interface Life {
  readonly store: FaultyStore;
  readonly scheduler: Scheduler;
}

class Story {
  readonly #dice: Dice;
  readonly #clock = hastyClock(SPEED);
  readonly #backend: FakeBackend;
  readonly #fixture: RunFixture;
  readonly #caller: Caller;
  readonly #lives: Life[] = [];
  readonly #requests = new Map<string, JobRequest>();
  readonly #runs: string[] = [];
  readonly #snapshotEveryEvents: number;
  #isOver = false;

  static async open(seed: number): Promise<Story> {
    const backend = fakeBackend();
    const clock = hastyClock(SPEED);
    const fixture = await runFixture(backend, { clock });
    await watchStatuses(fixture.db);
    return new Story(new Dice(seed, "story"), backend, fixture, await fixture.addUser());
  }

  constructor(dice: Dice, backend: FakeBackend, fixture: RunFixture, userId: string) {
    this.#dice = dice;
    this.#backend = backend;
    this.#fixture = fixture;
    this.#caller = { id: userId, email: "a@b.c", isAdmin: false };
    this.#snapshotEveryEvents = dice.between(2, 6);
    const submit = backend.submit.bind(backend);
    backend.submit = (request) => {
      if (!this.#requests.has(request.id) && dice.chance(CLUSTER_RATE)) backend.failNextSubmit("No answer.");
      this.#requests.set(request.id, request);
      return submit(request);
    };
  }

  async tell(): Promise<Told> {
    await this.#begin();
    const working = this.#work();
    const dying = this.#die();
    const people = Array.from({ length: this.#dice.between(2, 5) }, (_, index) => this.#person(index));
    await Promise.all(people);
    await this.#untilAllOver();
    this.#isOver = true;
    await Promise.all([working, dying]);
    await this.#fixture.settle();
    this.#backend.beginLate();
    await checkStory(this.#fixture.db, this.#backend, this.#runs);
    return {
      faults: sumOf(this.#lives.map(({ store }) => store.faults)),
      deaths: this.#lives.length - 1,
      runs: this.#runs.length,
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

  /** A server that cannot start because of its store is started again. */
  async #begin(): Promise<void> {
    for (;;) {
      const options = { dice: this.#dice, rate: RATE, slowMs: 10 };
      const store = faultyStore(this.#fixture.db, options);
      const scheduler = this.#fixture.scheduler({
        db: store.db,
        clock: this.#clock,
        engines: HOSTS,
        maxRunsAtOnce: this.#dice.between(1, 4),
        capacity: { cores: this.#dice.between(1, 4), memoryBytes: 2 ** 40 },
        snapshotEveryEvents: this.#snapshotEveryEvents,
      });
      this.#lives.push({ store, scheduler });
      try {
        return await scheduler.start();
      } catch {
        await this.#end();
      }
    }
  }

  /** The process is gone, or it goes in peace: either way nothing of it may be needed. */
  async #end(): Promise<void> {
    const { store, scheduler } = this.#life();
    if (this.#dice.chance(0.7)) store.cut();
    await scheduler.close({ stopJobs: false });
    store.cut();
  }

  #life(): Life {
    return this.#lives.at(-1)!;
  }

  async #die(): Promise<void> {
    for (let deaths = this.#dice.between(0, 4); deaths > 0; deaths -= 1) {
      await delay(this.#dice.between(5, 60));
      if (this.#isOver) return;
      await this.#end();
      await this.#begin();
    }
  }

  /** Makes a run, starts it, perhaps stops it. */
  async #person(index: number): Promise<void> {
    const id = await this.#create(index);
    this.#runs.push(id);
    const input = { address: id, parameters: {}, options: {} };
    await this.#insist((context) => startWorkflow(context, this.#caller, input));
    if (!this.#dice.chance(0.3)) return;
    await delay(this.#dice.between(0, 60));
    await this.#insist((context) => stopWorkflow(context, this.#caller, id));
  }

  async #create(index: number): Promise<string> {
    const id = derivedUuid("run", this.#caller.id, index);
    const specification = this.#specification();
    const { type: language } = specification.workflow;
    const row = {
      id,
      ownerId: this.#caller.id,
      workspaceId: derivedUuid("workspace", id),
      name: "w",
      language,
      specification,
      launcherUrl: null,
      createdAtMs: 0,
    };
    const list = Array.from({ length: this.#dice.between(1, 6) }, (_, at) => `item ${at}\n`).join("");
    await this.#fixture.workspaces.write(row.workspaceId, "list.txt", bytesOf(list));
    await this.#insist(async ({ db }) => {
      if (!(await maybeWorkflow(db, id)))
        await transaction(db, (connection) => insertWorkflow(connection, row));
    });
    return id;
  }

  #specification(): Specification {
    if (this.#dice.chance(0.5)) return surveySpecification();
    const steps = Array.from({ length: this.#dice.between(1, 6) }, (_, at) => ({ commands: [`echo ${at}`] }));
    return { workflow: { type: "serial", specification: { steps } } };
  }

  /** As a client does: again after an error, until it is done or turns out to have been done. */
  async #insist(ask: (context: ReturnType<Story["context"]>) => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await ask(this.context());
        return;
      } catch (error) {
        if (error instanceof Refusal && error.kind === "conflict") return;
        if (error instanceof Refusal) throw error;
        await delay(this.#dice.between(0, 5));
      }
    }
  }

  context() {
    const { store, scheduler } = this.#life();
    return { db: store.db, scheduler, clock: this.#clock, engines: ENGINES };
  }

  /** The cluster: ends what runs, mostly well. */
  async #work(): Promise<void> {
    const done = new Set<string>();
    while (!this.#isOver) {
      await delay(this.#dice.between(0, 4));
      if (this.#dice.chance(0.1)) this.#backend.beginLate();
      for (const id of this.#backend.started) {
        if (done.has(id) || this.#dice.chance(0.5)) continue;
        done.add(id);
        await this.#endJob(this.#requests.get(id)!);
      }
    }
  }

  async #endJob({ id, job, workspaceFolder }: JobRequest): Promise<void> {
    if (job.outputFolder !== undefined) {
      const folder = path.join(workspaceFolder, job.outputFolder);
      await mkdir(folder, { recursive: true });
      if (this.#dice.chance(0.8)) await writeFile(path.join(folder, "made.txt"), job.script);
    }
    const isLost = this.#dice.chance(0.02);
    const exitCode = this.#dice.chance(0.06) ? 3 : 0;
    this.#backend.end(id, isLost ? { reason: "lost", exitCode: null } : { exitCode });
  }

  async #untilAllOver(): Promise<void> {
    const beganAtMs = performance.now();
    for (const id of this.#runs) {
      for (;;) {
        const run = (await maybeWorkflow(this.#fixture.db, id))!;
        if (!isLive(run.status)) break;
        if (performance.now() - beganAtMs > STUCK_AFTER_MS) {
          throw new Error(`The run ${id} is stuck: ${run.status}, ${run.waitingFor ?? "waits for nothing"}.`);
        }
        await delay(3);
      }
    }
  }
}

async function* bytesOf(text: string): AsyncIterable<Buffer> {
  yield Buffer.from(text);
}

function sumOf(all: readonly ReadonlyMap<FaultKind, number>[]): Map<FaultKind, number> {
  const sum = new Map<FaultKind, number>();
  for (const [kind, count] of all.flatMap((one) => [...one])) sum.set(kind, (sum.get(kind) ?? 0) + count);
  return sum;
}

import type { Operations } from "#operations/context";
import { finishRemovals } from "#operations/files/finish-removals";
import { messageOf } from "#plumbing/errors";
import { createScheduler, type Scheduler } from "#scheduler/scheduler";
import { requestStop } from "#store/runs";
import { listen, type StopListening } from "#store/wake-ups";
import type { Workspaces } from "#workspace/workspaces";
import { ENGINES } from "./engines.ts";
import { fakeDisk } from "../support/fake-disk.ts";
import { randomFrom } from "./dice.ts";
import { Life } from "./life.ts";
import type { World } from "./world.ts";

/** The operations that users call on a server. */
export type ServerOperations = Pick<
  Operations,
  "db" | "clock" | "random" | "engines" | "scheduler" | "workspaces" | "jobLogs" | "capabilities" | "disk"
>;

/** A machine with its own clock. Servers run on it one after the other. */
export class Host {
  readonly name: string;
  readonly id: string;
  readonly #world: World;
  #lives = 0;
  #life: Life | undefined;
  #scheduler: Scheduler | undefined;
  #stopListening: StopListening | undefined;
  #skewMs = 0;
  #isGone = false;
  #isReady = false;
  operations: ServerOperations | undefined;

  constructor(world: World, name: string) {
    this.#world = world;
    this.name = name;
    this.id = `id of ${name}`;
  }

  /** Whether users can reach a server here. */
  get isUp(): boolean {
    return this.#isReady && this.#life !== undefined && !this.#life.isDead;
  }

  get isStarting(): boolean {
    return this.#life !== undefined && !this.#isReady;
  }

  get life(): Life | undefined {
    return this.#life;
  }

  start(): void {
    const world = this.#world;
    if (this.#isGone || this.#life) return;
    this.#lives += 1;
    const life = new Life(
      `${this.name}.${this.#lives}`,
      world.timeline,
      world.perilOf(this),
      () => this.#skewMs,
    );
    this.#life = life;
    this.#isReady = false;
    world.say(life.name, "starts");
    this.operations = this.#equip(life);
    void this.#open(life, this.operations);
  }

  async #open(life: Life, operations: ServerOperations): Promise<void> {
    try {
      await finishRemovals(operations, (_id, error) => this.#world.say(life.name, messageOf(error)));
      await operations.scheduler.start();
      this.#stopListening = listen(operations.db, {
        hear(wakeUp) {
          if (wakeUp.kind === "run-queued") operations.scheduler.wake();
          else if (wakeUp.kind === "stop-requested") void operations.scheduler.stop(wakeUp.runId, 0);
        },
        afterGap: () => operations.scheduler.wake(),
      });
      if (this.#life === life) this.#isReady = true;
    } catch (error) {
      this.#world.say(life.name, `could not start: ${messageOf(error)}`);
      this.crash("could not start");
    }
  }

  #equip(life: Life): ServerOperations {
    const world = this.#world;
    const db = world.connectionFor(life, this);
    const backend = world.sites.of(this.id).seenBy(life, this.id);
    const workspaces = world.files.seenBy(life, () => world.hinderFile());
    const scheduler = createScheduler({
      runner: {
        db,
        clock: life.clock,
        engines: world.engineHosts(),
        backend,
        workspaces,
        bootId: world.sites.of(this.id).bootId,
        snapshotEveryEvents: world.settings.snapshotEveryEvents,
      },
      clock: life.clock,
      host: { id: this.id, name: this.name },
      limits: world.settings.limits,
      requestStop: (id) => requestStop(db, id, life.clock.now()),
      log: { error: (details, message) => world.say(life.name, `${message} ${errorOf(details)}`) },
    });
    this.#scheduler = scheduler;
    return {
      db,
      clock: life.clock,
      random: randomFrom(world.dice),
      engines: ENGINES,
      capabilities: { languages: [...ENGINES.keys()], computeBackends: [] },
      scheduler,
      disk: fakeDisk(),
      workspaces: workspaces as Workspaces,
      jobLogs: { read: backend.readLog, size: backend.logSize, remove: backend.remove },
    };
  }

  /** Kills the server, at any moment and in the middle of anything. */
  crash(why: string): void {
    const life = this.#life;
    if (!life) return;
    this.#world.say(life.name, `is killed: ${why}`);
    this.#world.noteCrash(this);
    this.#leave(life);
  }

  /** Restarts the machine, or removes it forever. */
  reboot(isForEver: boolean): void {
    this.#isGone ||= isForEver;
    this.crash(isForEver ? "its machine is gone" : "its machine is restarted");
    this.#world.sites.of(this.id).reboot();
  }

  /** True if the machine never comes back. */
  get isGone(): boolean {
    return this.#isGone;
  }

  async close(stopJobs: boolean): Promise<void> {
    const life = this.#life;
    if (!life || !this.#isReady) return;
    this.#isReady = false;
    this.#world.say(life.name, `closes${stopJobs ? " and stops its jobs" : ""}`);
    try {
      await this.#stopListening?.();
      await this.#scheduler!.close({ stopJobs });
      this.#world.say(life.name, "has closed");
    } catch (error) {
      this.#world.say(life.name, `could not close: ${messageOf(error)}`);
    }
    if (this.#life === life) this.#leave(life);
  }

  #leave(life: Life): void {
    this.#life = undefined;
    this.#isReady = false;
    life.end();
    this.#world.noteDown(this);
  }

  pause(ms: number): void {
    if (!this.#life?.isRunning) return;
    this.#world.say(this.#life.name, `is paused for ${ms} ms`);
    this.#life.pause(ms);
  }

  /** Sets the clock forward or back. */
  jump(ms: number): void {
    this.#skewMs += ms;
  }
}

function errorOf(details: object): string {
  return messageOf((details as { readonly err?: unknown }).err);
}

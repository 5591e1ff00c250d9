import type { Caller } from "#operations/context";
import type { Operations } from "#operations/operations";
import { createRerun } from "#operations/runs/start/create-rerun";
import { deleteRun } from "#operations/runs/delete-run";
import { restartRun } from "#operations/runs/start/restart-run";
import { startRun } from "#operations/runs/start/start-run";
import { stopRun } from "#operations/runs/stop-run";
import { messageOf, Refusal } from "#plumbing/errors";
import { transaction } from "#store/database/database";
import { insertUser } from "#store/users/users";
import { insertRun, type Run } from "#store/runs/runs";
import { takeChanges } from "./change-log.ts";
import { Dice, randomFrom } from "./dice.ts";
import type { SharedDatabase } from "./shared-database.ts";
import { inOtherLanguages } from "./workload/languages.ts";
import { type Verb, workloadOf } from "./workload/workload.ts";
import type { World } from "./world.ts";

/** An acknowledged request: its effect must last, regardless of later faults. */
export interface Promised {
  readonly verb: Verb;
  readonly run: string;
  readonly atMs: number;
}

/** Limit of attempts for a request that gets no answer, or an error. */
const ASKS_MAX = 6;
const NO_ANSWER_AFTER_MS = 30_000;
/** A start with the parameters and options of the workflow. */
const NO_CHANGES = { parameters: {}, options: {} };

/** The users of a world and their requests. Each request goes to any reachable server. */
export class People {
  readonly promised: Promised[] = [];
  /** The owner of each run. */
  readonly #owners = new Map<string, Caller>();
  readonly #world: World;
  readonly #database: SharedDatabase;
  readonly #callers: Caller[] = [];
  #waiting = 0;

  constructor(world: World, database: SharedDatabase) {
    this.#world = world;
    this.#database = database;
  }

  /** True if any request is still to be made or answered. */
  get areWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** Creates users and workflows, and schedules the requests. */
  async arrive(): Promise<void> {
    const world = this.#world;
    const dice = new Dice(world.seed, "people");
    const random = randomFrom(dice);
    const db = this.#database.connection();
    for (let index = 0; index < world.settings.users; index += 1) {
      const caller = { id: random.uuid(), email: `user${index}@example.org`, isAdmin: false };
      await insertUser(db, { ...caller, disabledAtMs: null, createdAtMs: 0 });
      this.#callers.push(caller);
    }
    const plans = inOtherLanguages(new Dice(world.seed, "languages"), workloadOf(dice, world.settings));
    for (const plan of plans) {
      const [id, workspaceId] = [random.uuid(), random.uuid()];
      const { name, specification } = plan;
      const owner = { ownerId: this.#callers[plan.user]!.id, language: specification.workflow.type };
      const run = { id, workspaceId, name, specification, launcherUrl: null, createdAtMs: 0, ...owner };
      await transaction(db, (connection) => insertRun(connection, run));
      for (const [path, content] of Object.entries(plan.files)) world.files.put(workspaceId, path, content);
      this.#owners.set(id, this.#callers[plan.user]!);
      this.#intend(id, "start", plan.startAtMs);
      for (const act of plan.acts) this.#intend(id, act.verb, act.atMs);
    }
    world.witness.see({ name: "people", hostId: "", beganAtMs: 0 }, await takeChanges(this.#database));
  }

  #intend(run: string, verb: Verb, atMs: number): void {
    this.#waiting += 1;
    this.#world.timeline.after(atMs, () => this.#ask(run, verb, 1));
  }

  #ask(run: string, verb: Verb, times: number): void {
    const world = this.#world;
    const server = world.dice.pick(world.hosts.filter((host) => !host.isGone));
    if (!server.isUp || !server.operations) return this.#askLater(run, verb, times);
    if (server.life!.awakeMs < 3000) world.coverage.count(`${verb} just after a server began or woke up`);
    world.say("people", `ask ${server.life!.name} to ${verb} ${run.slice(0, 4)}`);
    let isAnswered = false;
    const callOff = world.timeline.after(NO_ANSWER_AFTER_MS, () => {
      isAnswered = true;
      this.#askLater(run, verb, times);
    });
    const answered = (what: string, isDone: boolean) => {
      if (isAnswered) return;
      isAnswered = true;
      callOff();
      world.say("people", `are told about ${verb} ${run.slice(0, 4)}: ${what}`);
      if (isDone) this.#waiting -= 1;
      else this.#askLater(run, verb, times);
    };
    this.#carryOut(server.operations, run, verb).then(
      ({ id, status }) => {
        this.promised.push({ verb, run: id, atMs: world.timeline.nowMs });
        this.#checkPromise(id, verb);
        if (verb === "restart" || verb === "rerun") this.#intendLater(id, this.#owners.get(run)!);
        if (verb === "rerun") world.coverage.count("run again in a copy of its files");
        return answered(status, true);
      },
      (error: unknown) => answered(messageOf(error), error instanceof Refusal),
    );
  }

  /** Checks that an acknowledged request is in the database at the time of the answer. */
  #checkPromise(run: string, verb: Verb): void {
    const seen = this.#world.witness.runs.get(run)!;
    const { status, stopRequestedAtMs } = seen.row;
    const isKept = {
      start: status !== "created",
      restart: status !== "created",
      rerun: status !== "created",
      stop: status === "stopped" || status === "deleted" || stopRequestedAtMs !== null,
      delete: status === "deleted",
    };
    if (!isKept[verb]) this.#world.fail(`To ${verb} ${run} was acknowledged; it is ${status}.`);
  }

  #askLater(run: string, verb: Verb, times: number): void {
    const world = this.#world;
    if (times >= ASKS_MAX && !world.weather.isCalm) this.#waiting -= 1;
    else world.timeline.after(world.dice.magnitude(100, 10_000), () => this.#ask(run, verb, times + 1));
  }

  /** Schedules requests for a run that came from a restart. */
  #intendLater(run: string, owner: Caller): void {
    const { dice } = this.#world;
    this.#owners.set(run, owner);
    for (const verb of ["stop", "delete", "restart"] as const) {
      if (dice.chance(0.2)) this.#intend(run, verb, dice.magnitude(1, 100_000));
    }
  }

  #restartOf(address: string) {
    const fresh = this.#world.dice.chance(0.1);
    return { address, ...NO_CHANGES, document: null, fresh, fromStep: null };
  }

  async #carryOut(operations: Operations, run: string, verb: Verb): Promise<Run> {
    const caller = this.#owners.get(run)!;
    const address = run;
    switch (verb) {
      case "start":
        return startRun(operations, caller, { address, ...NO_CHANGES });
      case "restart":
        return restartRun(operations, caller, this.#restartOf(address));
      case "rerun":
        return createRerun(operations, caller, this.#restartOf(address), new AbortController().signal);
      case "stop":
        return stopRun(operations, caller, address);
      case "delete":
        return deleteRun(operations, caller, { address, allRuns: false });
    }
  }
}

import { setTimeout as delay } from "node:timers/promises";
import { systemRandom } from "#plumbing/ids";
import type { Connection } from "#store/database/database";
import { Dice } from "../simulation/dice.ts";
import { allOver, oneMoreRun, serial } from "./crash-stories.ts";
import { type CrashWorld, makeWorld } from "./crash-world.ts";
import type { OpenPlace } from "./job-places.ts";
import type { RealServer } from "../support/real-server.ts";
import { ServerGone } from "./asker.ts";

/**
 * Many users work with a server that is killed again and again, until each run has ended. The seed decides what happens
 * to each run and when the server is killed; only how the two meet depends on the machine.
 */
export interface SoakOptions {
  /** A database server that is restarted at times. Replaces the databases of `makeWorld`. */
  readonly database?: OwnDatabase;
  /** The place where jobs run. Default: on this machine, without a wall. */
  readonly openPlace?: OpenPlace;
  readonly seed: number;
  readonly runs: number;
  /** Minimum of kills: the soak continues until then, because the machine decides how soon the runs end. */
  readonly killsMin: number;
  readonly people: number;
  readonly killAfterMs: readonly [least: number, most: number];
}

export interface OwnDatabase {
  /** The server's environment for this database. */
  readonly environment: Readonly<Record<string, string>>;
  open(): Connection;
  restart(): Promise<void>;
}

export interface SoakResult {
  /** A sentence for each broken promise. */
  readonly broken: readonly string[];
  readonly totals: Totals;
}

interface Totals {
  runs: number;
  stops: number;
  deletions: number;
  kills: number;
  databaseRestarts: number;
}

/** A low limit, so that runs are in progress at every kill, on a machine with any number of processors. */
const FEW_PLACES = { REPRISE_CORES: "2" };
const JOBS_OF_A_RUN = 5;
const JOB_MAX_MS = 200;
const RETRY_MS = 100;
/** Limit for one request of a user, over all deaths of the server. A longer request is stuck. */
const PATIENCE_MS = 600_000;
/** Share of deaths in which the database is restarted instead of the server killed. */
const RESTART_CHANCE = 0.3;
const UPLOAD_MAX_BYTES = 300_000;

export async function soak(options: SoakOptions): Promise<SoakResult> {
  const { database, openPlace } = options;
  const world = await makeWorld({
    openPlace,
    environment: { ...FEW_PLACES, ...database?.environment },
    ...(database && { openDatabase: database.open }),
  });
  const totals: Totals = { runs: 0, stops: 0, deletions: 0, kills: 0, databaseRestarts: 0 };
  try {
    const done = new AbortController();
    const keeping = keepKilling(world, options, done.signal, totals);
    // Reports a failure of the server directly, instead of a failed request only.
    await Promise.race([useAll(world, options, totals), keeping]).finally(() => done.abort());
    const server = await keeping;
    await allOver(world);
    await oneMoreRun(world);
    return { broken: await world.judge(server), totals };
  } finally {
    await world.remove();
  }
}

async function keepKilling(
  world: CrashWorld,
  { seed, killAfterMs, database }: SoakOptions,
  done: AbortSignal,
  totals: Totals,
): Promise<RealServer> {
  const dice = new Dice(seed, "kills");
  let server = await world.start();
  for (;;) {
    await delay(dice.between(...killAfterMs), undefined, { signal: done }).catch(() => undefined);
    if (done.aborted) return server;
    if (database && dice.chance(RESTART_CHANCE)) {
      await database.restart();
      totals.databaseRestarts += 1;
    } else {
      await server.kill();
      totals.kills += 1;
      server = await world.start();
    }
  }
}

/** Makes each user handle a series of runs. */
async function useAll(world: CrashWorld, options: SoakOptions, totals: Totals): Promise<void> {
  const seesTo = async () => {
    while (totals.runs < options.runs || totals.kills < options.killsMin) {
      totals.runs += 1;
      await useOne(world, new Dice(options.seed, `run ${totals.runs}`), totals);
    }
  };
  await Promise.all(Array.from({ length: options.people }, seesTo));
}

type Fate = "left alone" | "fails" | "stopped" | "endless";

async function useOne(world: CrashWorld, dice: Dice, totals: Totals): Promise<void> {
  const { witness } = world;
  const fate = dice.pick<Fate>(["left alone", "left alone", "left alone", "fails", "stopped", "endless"]);
  const specification = serial(commandsFor(world, dice, fate));
  const endsAs = fate === "fails" ? "failed" : fate === "endless" ? "stopped" : "finished";
  const run = await persist(() => witness.createRun("soak", specification, { endsAs }));
  const content = "x".repeat(dice.between(0, UPLOAD_MAX_BYTES));
  await persist(() => witness.upload(run, "data/in.bin", content));
  await persist(() => witness.start(run));
  if (fate === "stopped" || fate === "endless") {
    await delay(dice.between(0, JOBS_OF_A_RUN * JOB_MAX_MS));
    await persist(() => witness.stop(run));
    totals.stops += 1;
  }
  await persist(() => witness.until(run, "finished", "failed", "stopped"));
  await persist(() => witness.logs(run));
  if (!dice.chance(0.3)) return;
  await persist(() => witness.remove(run));
  totals.deletions += 1;
}

function commandsFor({ job }: CrashWorld, dice: Dice, fate: Fate): string[] {
  const at = dice.between(0, JOBS_OF_A_RUN - 1);
  return Array.from({ length: JOBS_OF_A_RUN }, (_, index) => {
    const seconds = dice.between(0, JOB_MAX_MS) / 1000;
    const leaves = dice.chance(0.1) ? "(setsid sleep 1000 &)" : "true";
    if (index !== at) return job(seconds, leaves);
    if (fate === "fails") return job(seconds, "exit 3");
    return fate === "endless" ? job(1000) : job(seconds);
  });
}

/** Retries while the server is away, as the users' programs do. */
async function persist<Result>(work: () => Promise<Result>): Promise<Result> {
  const lastMs = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ServerGone) || performance.now() > lastMs) throw error;
      await delay(RETRY_MS);
    }
  }
}

/** Returns a random seed, or `SOAK_SEED` to repeat another soak. */
export function newSeed(): number {
  const given = process.env["SOAK_SEED"];
  return given === undefined ? systemRandom.bytes(4).readUInt32LE() : Number(given);
}

import { maybeWaitingFor } from "#operations/watch/waiting-for";
import { declareHostLost } from "#operations/service/hosts";
import { Refusal } from "#plumbing/errors";
import { LEASE_MS } from "#store/hosts/hosts";
import { maybeRun } from "#store/runs/runs";
import { isLive } from "#workflow/run/run-status";
import type { Host } from "./host.ts";
import type { SharedDatabase } from "./shared-database.ts";
import type { World } from "./world.ts";

/** Longer than any operation in progress takes. */
const STILL_MS = 90_000;

/** Schedules what strikes the hosts by the clock, at any point of their work, and the regular check of all runs. */
export function brew(world: World, database: SharedDatabase): void {
  const { dice, coverage } = world;
  const { storm } = world.weather;
  const one = () => dice.pick(world.hosts);
  every(world, STILL_MS, () => void lookAtStillRuns(world, database));
  every(world, storm.crashEveryMs, () => one().crash("out of the blue"));
  every(world, storm.closeEveryMs, () => void one().close(dice.chance(0.1)));
  every(world, storm.pauseEveryMs, () => one().pause(pauseMs(world)));
  every(world, storm.rebootEveryMs, () => reboot(world, database, one()));
  every(world, storm.absenceEveryMs, () => leaveForAWhile(world));
  every(world, storm.lossEveryMs, () => loseForAWhile(world, database, one()));
  every(world, storm.jumpEveryMs, () => one().jump(dice.between(-storm.jumpMaxMs, storm.jumpMaxMs)));
  every(world, storm.databaseJumpEveryMs, () => {
    world.databaseSkewMs += dice.between(-storm.databaseJumpMaxMs, storm.databaseJumpMaxMs);
    coverage.count("jump of the database's clock");
  });
}

function every(world: World, ms: number, strike: () => void): void {
  if (!Number.isFinite(ms)) return;
  world.timeline.after(world.dice.between(1, 2 * ms), () => {
    if (world.weather.isCalm) return;
    strike();
    every(world, ms, strike);
  });
}

export function pauseMs({ dice, weather: { storm } }: World): number {
  if (dice.chance(storm.sleepsThroughLease)) return dice.between(0.9 * LEASE_MS, 1.5 * LEASE_MS);
  return dice.magnitude(10, storm.pauseMaxMs);
}

/**
 * Restarts a host, or removes the host forever. At least one host stays, and the administrator sooner or
 * later declares a removed host lost.
 */
function reboot(world: World, database: SharedDatabase, host: Host): void {
  const others = world.hosts.filter((other) => other !== host && !other.isGone);
  const isForEver = others.length > 0 && world.dice.chance(0.3);
  world.coverage.count(isForEver ? "host gone for ever" : "host restarted");
  host.reboot(isForEver);
  if (!isForEver) return;
  world.timeline.after(world.dice.magnitude(1000, 300_000), () => void declareLost(world, database, host));
}

/**
 * Silences a host until the administrator declares the host lost. The host later comes back with its jobs.
 */
function loseForAWhile(world: World, database: SharedDatabase, host: Host): void {
  const others = world.hosts.filter((other) => other !== host && !other.isGone);
  if (others.length === 0 || host.isGone || !host.isUp) return;
  const awayMs = world.dice.between(1.2 * LEASE_MS, 4 * LEASE_MS);
  if (world.dice.chance(0.5)) host.pause(awayMs);
  else host.turnOff(awayMs);
  world.coverage.count("host declared lost that comes back");
  world.timeline.after(
    world.dice.between(LEASE_MS, 1.2 * LEASE_MS),
    () => void declareLost(world, database, host),
  );
}

const ABSENCE_MAX_MS = 3_600_000;

/** Makes the cluster unreachable for a while. Its jobs continue. */
function leaveForAWhile({ sites, hosts, timeline, dice, coverage, settings }: World): void {
  const cluster = sites.of(hosts[0]!.id);
  if (settings.isHostBound || cluster.isAway) return;
  coverage.count("cluster away");
  cluster.leave("The cluster cannot be reached (simulated).");
  timeline.after(dice.magnitude(1000, ABSENCE_MAX_MS), () => cluster.comeBack());
}

const DECLARE_AGAIN_MS = 10_000;

/** Declares a host lost after a long enough silence, unless the host has come back. */
async function declareLost(world: World, database: SharedDatabase, host: Host): Promise<void> {
  try {
    await declareHostLost({ db: database.connection() }, host.id);
    world.say("administrator", `declares ${host.name} lost`);
    world.witness.noteLost(host.id);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (!host.isGone) return;
    world.timeline.after(DECLARE_AGAIN_MS, () => void declareLost(world, database, host));
  }
}

/** Returns whether no server can reach the cluster. */
function isAway({ sites, hosts }: World): boolean {
  return sites.of(hosts[0]!.id).isAway;
}

/**
 * Checks that a run without a change for a long time, while a server is awake, gives the reason for its wait.
 */
async function lookAtStillRuns(world: World, database: SharedDatabase): Promise<void> {
  if (!world.hosts.some((host) => host.isUp && host.life!.awakeMs > STILL_MS)) return;
  const untilMs = world.timeline.nowMs - STILL_MS;
  const db = database.connection();
  for (const { id, row, changedAtMs } of world.witness.runs.values()) {
    const isBusy = world.sites.running().some((job) => job.run === id) && !isAway(world);
    if (isBusy || changedAtMs > untilMs || !isLive(row.status)) continue;
    world.coverage.count("run that waits is looked at");
    const run = (await maybeRun(db, id))!;
    const holder = world.hosts.find((host) => host.id === run.heldBy);
    const status = holder?.isUp ? holder.operations?.scheduler.hostStatus() : undefined;
    const sentence = await maybeWaitingFor(db, run, status);
    if (isLive(run.status) && !sentence) world.fail(`${id} is ${run.status} and does not say what for.`);
  }
}

import { type CrashPoint, SERVER_CRASH_POINTS } from "#plumbing/crash-points";
import { deathsAt, testDeaths } from "./support/crash-cases.ts";

/**
 * The real server is killed at each of its crash points, started again, and judged by what it promised. What a killed
 * server has acknowledged, and what its jobs did, is known from outside (support/check-promises.ts). The long form goes
 * on with later passes and with several deaths in a row.
 */
testDeaths((Object.keys(SERVER_CRASH_POINTS) as CrashPoint[]).map(deathsAt));

import { type CrashPoint, SERVER_CRASH_POINTS } from "#plumbing/crash-points";
import { deathsAt, testDeaths } from "./support/crash-cases.ts";

/**
 * The real server is killed at each of its crash points, started again, and judged by its promises. What a killed
 * server has acknowledged, and what its jobs did, is known from outside (support/check-promises.ts). The long form adds
 * later passes and several deaths in a row.
 */
testDeaths((Object.keys(SERVER_CRASH_POINTS) as CrashPoint[]).map(deathsAt));

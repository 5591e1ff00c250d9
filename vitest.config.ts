import { defineConfig } from "vitest/config";
import { hasPostgres } from "./server/src/store/dialects/postgres-server-suite.ts";

/**
 * Three kinds of tests: `*.test.ts` are fast and run with every `npm test`; `*.slow.test.ts` (fresh clones, large files,
 * killed servers) run with `npm run test:all`, one file after another, because they load the machine themselves;
 * `*.long.test.ts` (soaks, a million simulated runs) run with `npm run test:long` alone.
 */
const FOLDERS = "{server/src,server/test,sdk,tools}";
/** Of the tests that cross rooms, those in which the database matters: they run on PostgreSQL as well. */
const ON_POSTGRES = {
  fast: [
    "server/test/{admission,faulty-store,runs,retries-by-default,run-scenarios,snapshots,survey-runs,two-hosts}.test.ts",
    "server/test/api/{about-a-run,about-the-service,accounts,change-status,create-workflow,delete-runs,events,job-log,jobs,list-by-usage,list-workflows,logs-and-status,once,permissions,prune-and-retention,restart,restart-plan,reuse,secrets,users}.test.ts",
  ],
  slow: ["server/test/{backup,crash-points,once,restart,soak}.slow.test.ts"],
  long: ["server/test/crash-points.long.test.ts"],
};
/** Starts PostgreSQL for those tests that ask for it. */
const SETUP = { globalSetup: ["server/src/store/dialects/postgres-databases-suite.ts"] };
const POSTGRES = { ...SETUP, env: { REPRISE_TEST_DATABASE: "PostgreSQL" } };

/** What a test waits for may take as long as the test itself: how long it does is up to the machine, and no promise. */
const patience = (timeout: number) => ({ expect: { poll: { timeout } } });

const FAST = {
  ...patience(4500),
  // Files share a process, because no module keeps state: importing the server again for each took 40 % of the time.
  isolate: false,
  // In a hook the first test that needs PostgreSQL waits until one has been set up.
  hookTimeout: 60_000,
  sequence: { groupOrder: 1 },
};
const SLOW = {
  ...patience(110_000),
  fileParallelism: false,
  // Those few tests that say that they may run side by side start servers: more at once take no less time.
  maxConcurrency: 3,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  sequence: { groupOrder: 2 },
};
/** They end by themselves; this is for one that does not. */
const LONG = { ...SLOW, testTimeout: 12 * 3_600_000 };
const EXCLUDED = ["**/node_modules/**"];

const everywhere = [
  {
    test: {
      ...FAST,
      ...SETUP,
      name: "fast",
      include: [`${FOLDERS}/**/*.test.ts`],
      exclude: [...EXCLUDED, "**/*.slow.test.ts", "**/*.long.test.ts"],
    },
  },
  { test: { ...SLOW, ...SETUP, name: "slow", include: [`${FOLDERS}/**/*.slow.test.ts`], exclude: EXCLUDED } },
  { test: { ...LONG, ...SETUP, name: "long", include: [`${FOLDERS}/**/*.long.test.ts`], exclude: EXCLUDED } },
];
const onPostgres = [
  { test: { ...FAST, ...POSTGRES, name: "fast-postgres", include: ON_POSTGRES.fast } },
  { test: { ...SLOW, ...POSTGRES, name: "slow-postgres", include: ON_POSTGRES.slow } },
  { test: { ...LONG, ...POSTGRES, name: "long-postgres", include: ON_POSTGRES.long } },
];

export default defineConfig({
  // Where there is no PostgreSQL, the tests of its dialect say that they were skipped.
  test: { allowOnly: false, projects: hasPostgres() ? [...everywhere, ...onPostgres] : everywhere },
});

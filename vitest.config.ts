import path from "node:path";
import { defineConfig } from "vitest/config";
import { hasPostgres } from "./server/src/store/dialects/postgres-server-suite.ts";

/**
 * Four kinds of tests: `*.test.ts` are fast and run with every `npm test`; `*.slow.test.ts` (fresh clones, large files,
 * killed servers) run with `npm run test:all`; `*.long.test.ts` (soaks, a million simulated runs) run with `npm run
 * test:nightly`; `*.cluster.test.ts` need a real HTCondor, which `npm run test:clusters` installs in a folder. Slow tests have two lanes: most wait for servers, processes and pauses, so several files run side by
 * side; the files of `ALONE` run one after the other.
 */
const FOLDERS = "{server/src,server/test,sdk,tools,ui/src}";
/** Slow tests that use every core, measure memory, or write into the checkout. */
const ALONE = [
  "server/test/cli/follow-log.slow.test.ts",
  "server/test/crash/{crash-points,soak}.slow.test.ts",
  "server/test/files/large-files.slow.test.ts",
  "server/test/mutants/mutants.slow.test.ts",
  "server/test/package/{package,sdk-package}.slow.test.ts",
  "server/test/runs/{hostile-jobs,output-limit}.slow.test.ts",
  "server/test/simulation/simulation.slow.test.ts",
  "server/src/workspace/many-files.slow.test.ts",
];
/** Tests across rooms in which the database decides. They run on PostgreSQL as well. */
const ON_POSTGRES = {
  fast: [
    "server/test/runs/{admission,runs,run-scenarios,snapshots,two-hosts}.test.ts",
    "server/test/api/idempotency.test.ts",
    "server/test/api/files/{prune-and-retention,retention-preview}.test.ts",
    "server/test/api/runs/{change-status,keep-outputs,list-by-usage,list-workflows,restart}.test.ts",
    "server/test/api/service/{announcement,status-report}.test.ts",
    "server/test/api/users/{delete-user,secrets,users}.test.ts",
    "server/test/cli/user-table.test.ts",
    "server/test/api/watch/{events,logs-and-status,nearest-origin,origin}.test.ts",
  ],
  slow: [
    "server/test/backup/backup.slow.test.ts",
    "server/test/crash/{faulty-store,idempotency,mailed-report}.slow.test.ts",
  ],
  alone: ["server/test/crash/{crash-points,soak}.slow.test.ts"],
  long: ["server/test/crash/crash-points.long.test.ts"],
};
/**
 * Tests of the API that run once more through a balancer, which sends each request to a random server of three. By night
 * all tests of the API do, except tests of a single server: of memory, addresses, or work that a test begins by hand.
 */
const BEHIND_BALANCER = {
  fast: [
    "server/test/api/files/upload-in-parts.test.ts",
    "server/test/api/runs/change-status.test.ts",
    "server/test/api/watch/{job-log,logs-and-status}.test.ts",
    "server/test/api/idempotency.test.ts",
    "server/test/support/balancer.test.ts",
  ],
  long: ["server/test/api/**/*.test.ts", "server/test/support/balancer.test.ts"],
  excluded: [
    "**/*.slow.test.ts",
    "server/test/api/files/{counted-disk,full-disk}.test.ts",
    "server/test/api/http/raw-http.test.ts",
    "server/test/api/runs/{broken-off-comparison,list-by-usage,notebook-quotas,notebooks,rerun}.test.ts",
    "server/test/api/service/{about-the-service,drain,metrics,status-report}.test.ts",
    "server/test/api/users/{mail-notifications,notifications,quota-of-live-runs}.test.ts",
  ],
};
/** Starts PostgreSQL for those tests that ask for it. */
const SETUP = { globalSetup: ["server/src/store/dialects/postgres-databases-suite.ts"] };
const POSTGRES = { ...SETUP, env: { REPRISE_TEST_DATABASE: "PostgreSQL" } };
const SEVERAL = { ...SETUP, env: { ...POSTGRES.env, REPRISE_TEST_SERVERS: "3" } };

/**
 * Servers that the tests start share their compiled code: compiling is half of the processor time of a start. The
 * processes of the tests inherit this variable.
 */
process.env["NODE_COMPILE_CACHE"] ??= path.join(
  import.meta.dirname,
  "node_modules",
  ".cache",
  "reprise-tests",
);

/** Most tests are about other things. The tests of the sandbox ask for it. */
process.env["REPRISE_SANDBOX"] ??= "none";

/** Steps that name an image run without it, whatever is installed. The tests of containers ask for them. */
process.env["REPRISE_CONTAINERS"] ??= "none";

/** Lets a test wait for a condition as long as the test itself may take: the speed of the machine is no promise. */
const patience = (timeout: number) => ({ expect: { poll: { timeout } } });

const FAST = {
  ...patience(50_000),
  // A busy machine is not a failure.
  testTimeout: 60_000,
  // Files share a process, because no module keeps state: importing the server again for each took 40 % of the time.
  isolate: false,
  // Two would leave half of two cores idle, because tests wait for servers and processes.
  maxWorkers: 3,
  // In a hook the first test that needs PostgreSQL waits until one has been set up.
  hookTimeout: 60_000,
  sequence: { groupOrder: 1 },
};
const SLOW = {
  ...patience(550_000),
  // The title of a chain of crash points names them all.
  taskTitleValueFormatTruncate: 0,
  isolate: false,
  maxWorkers: 3,
  // The few tests that may run side by side start servers: more at once take no less time.
  maxConcurrency: 3,
  testTimeout: 600_000,
  hookTimeout: 600_000,
  sequence: { groupOrder: 2 },
};
const ONE_BY_ONE = { ...SLOW, maxWorkers: 1, sequence: { groupOrder: 3 } };
/** They end by themselves; this is for one that does not. */
const LONG = { ...ONE_BY_ONE, testTimeout: 12 * 3_600_000, sequence: { groupOrder: 4 } };
const EXCLUDED = ["**/node_modules/**"];

const everywhere = [
  {
    test: {
      ...FAST,
      ...SETUP,
      name: "fast",
      include: [`${FOLDERS}/**/*.test.ts`],
      exclude: [...EXCLUDED, "**/*.{slow,long,cluster}.test.ts"],
    },
  },
  {
    test: {
      ...SLOW,
      ...SETUP,
      name: "slow",
      include: [`${FOLDERS}/**/*.slow.test.ts`],
      exclude: [...EXCLUDED, ...ALONE],
    },
  },
  { test: { ...ONE_BY_ONE, ...SETUP, name: "alone", include: ALONE } },
  { test: { ...LONG, ...SETUP, name: "long", include: [`${FOLDERS}/**/*.long.test.ts`], exclude: EXCLUDED } },
  {
    test: {
      ...ONE_BY_ONE,
      name: "clusters",
      include: [`${FOLDERS}/**/*.cluster.test.ts`],
      exclude: EXCLUDED,
    },
  },
];
const onPostgres = [
  { test: { ...FAST, ...SEVERAL, name: "fast-servers", include: BEHIND_BALANCER.fast } },
  {
    test: {
      ...FAST,
      ...SEVERAL,
      name: "long-servers",
      include: BEHIND_BALANCER.long,
      exclude: [...EXCLUDED, ...BEHIND_BALANCER.excluded],
    },
  },
  { test: { ...FAST, ...POSTGRES, name: "fast-postgres", include: ON_POSTGRES.fast } },
  { test: { ...SLOW, ...POSTGRES, name: "slow-postgres", include: ON_POSTGRES.slow } },
  { test: { ...ONE_BY_ONE, ...POSTGRES, name: "alone-postgres", include: ON_POSTGRES.alone } },
  { test: { ...LONG, ...POSTGRES, name: "long-postgres", include: ON_POSTGRES.long } },
];

export default defineConfig({
  // Where there is no PostgreSQL, the tests of its dialect say that they were skipped.
  test: {
    allowOnly: false,
    // The place of a test in its file tells the tests that were written from the cases that were run.
    includeTaskLocation: true,
    projects: hasPostgres() ? [...everywhere, ...onPostgres] : everywhere,
  },
});

import { defineConfig } from "vitest/config";

/**
 * Two kinds of tests: `*.test.ts` are fast and run with every `npm test`; `*.slow.test.ts` (fresh clones, large files,
 * killed servers) run with `npm run test:all`, one file after another, because they load the machine themselves.
 */
/** Starts PostgreSQL for those tests that ask for it. */
const GLOBAL_SETUP = ["server/src/store/dialects/postgres-databases-suite.ts"];
const FOLDERS = "{server/src,server/test,sdk,tools}";

export default defineConfig({
  test: {
    allowOnly: false,
    projects: [
      {
        test: {
          name: "fast",
          globalSetup: GLOBAL_SETUP,
          include: [`${FOLDERS}/**/*.test.ts`],
          exclude: ["**/node_modules/**", "**/*.slow.test.ts"],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "slow",
          globalSetup: GLOBAL_SETUP,
          include: [`${FOLDERS}/**/*.slow.test.ts`],
          exclude: ["**/node_modules/**"],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});

import { defineConfig } from "vitest/config";

/**
 * Two kinds of tests: `*.test.ts` are fast and run with every `npm test`; `*.slow.test.ts` (fresh clones, large files,
 * killed servers) run with `npm run test:all`, one file after another, because they load the machine themselves.
 */
const FOLDERS = "{server/src,server/test,sdk,tools}";

export default defineConfig({
  test: {
    allowOnly: false,
    projects: [
      {
        test: {
          name: "fast",
          include: [`${FOLDERS}/**/*.test.ts`],
          exclude: ["**/node_modules/**", "**/*.slow.test.ts"],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "slow",
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

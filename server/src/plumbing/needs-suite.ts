import { describe, test } from "vitest";

/**
 * Returns `describe` if nothing is missing. Otherwise returns a stand-in: its group has one skipped test with the reason, and
 * runs no hooks.
 */
export function describeUnless(missing: string | undefined): typeof describe {
  if (missing === undefined) return describe;
  const skipped = (title: string) =>
    describe(`${title} (skipped)`, () => {
      test("is skipped", (context) => context.skip(missing));
    });
  return Object.assign(skipped, { each: () => skipped }) as unknown as typeof describe;
}

/** Returns `test` if nothing is missing. Otherwise returns a stand-in, which skips the test with the reason. */
export function testUnless(missing: string | undefined): typeof test {
  if (missing === undefined) return test;
  const skipped = (title: string) => test(`${title} (skipped)`, (context) => context.skip(missing));
  return Object.assign(skipped, { each: () => skipped }) as unknown as typeof test;
}

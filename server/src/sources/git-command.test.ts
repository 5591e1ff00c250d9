import { expect, test } from "vitest";
import { withFewDescriptors } from "#plumbing/descriptors-suite";

test("a command that cannot be started for want of file descriptors fails with that reason, and a later one runs", async () => {
  const code = `
    import { runGit } from "#sources/git-command";
    const { signal } = new AbortController();
    const place = { folder: "/", home: "/", searchPath: process.env.PATH, maxMemoryBytes: 2 ** 26, signal };
    const run = () => outcomeOf(runGit({ ...place, args: ["version"] }));
    takeDescriptors(2);
    const without = await run();
    giveBackDescriptors();
    print({ without, later: await run() });`;
  expect(await withFewDescriptors(code)).toEqual({
    without: { error: expect.stringContaining("EMFILE") },
    later: { value: { exitCode: 0, errors: "" } },
  });
});

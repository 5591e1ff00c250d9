import { expect, test } from "vitest";
import { withFewDescriptors } from "#plumbing/descriptors-suite";
import { folderForEach } from "#plumbing/files/folder-fixture";

let folder: string;
folderForEach((made) => void (folder = made));

test("a probe that cannot be started for want of file descriptors fails with that reason, and a later one succeeds", async () => {
  const code = `
    import { probe } from "#backends/local/walls/probe";
    const argv = ["bash", "-c", ": > read; echo confined"];
    const wall = { around: () => ({ argv, filterFile: "/dev/null" }) };
    const run = () => outcomeOf(probe(wall, process.argv[1]));
    takeDescriptors(3);
    const without = await run();
    giveBackDescriptors();
    print({ without, later: await run() });`;
  expect(await withFewDescriptors(code, folder)).toEqual({
    without: { error: expect.stringContaining("EMFILE") },
    later: {},
  });
});

import { expect, test } from "vitest";
import { probe } from "#backends/walls/probe";
import type { Wall } from "#backends/walls/wall";
import { withFewDescriptors } from "#plumbing/descriptors-suite";
import { folderForEach } from "#plumbing/files/folder-fixture";

let folder: string;
folderForEach((made) => void (folder = made));

test("a probe that cannot be started for want of file descriptors fails with that reason, and a later one succeeds", async () => {
  const code = `
    import { probe } from "#backends/walls/probe";
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

test("a probe that has not ended in time is called slow, and nothing is said of a defect", async () => {
  const argv = ["sleep", "60"] as const;
  const wall = { name: "slow", around: () => ({ argv, filterFile: "/dev/null" }) } as unknown as Wall;
  expect(await probe(wall, folder, 100)).toEqual({
    problem:
      "bubblewrap was tried and had not ended after 0.1 s: this machine is overloaded, or bubblewrap hangs. " +
      "Try again when less is running",
    isBroken: true,
  });
});

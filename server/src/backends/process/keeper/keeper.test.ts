import { expect, test } from "vitest";
import { withFewDescriptors } from "#plumbing/descriptors-suite";
import { folderForEach } from "#plumbing/files/folder-fixture";

let folder: string;
folderForEach((made) => void (folder = made));

/** Offers a keeper, the reasons for its ends, and a count of its processes. */
const KEEPER = `
  import { readFileSync } from "node:fs";
  import { setTimeout } from "node:timers/promises";
  import { createKeeper } from "#backends/process/keeper/keeper";
  const reasons = [];
  const options = { folder: process.argv[1], hostId: "host", bootId: "boot" };
  const keeper = createKeeper(options, () => false, (reason) => void reasons.push(reason));
  const { pid } = process;
  const count = () => readFileSync("/proc/" + pid + "/task/" + pid + "/children", "utf8").split(" ").length - 1;
  const untilNone = async () => {
    while (count() > 0) await setTimeout(20);
  };
`;

test("a keeper that cannot be started for want of file descriptors is reported, and a later one starts", async () => {
  const code = `${KEEPER}
    takeDescriptors(2);
    keeper.keep();
    await setTimeout(0);
    giveBackDescriptors();
    const without = { reasons: [...reasons], count: count() };
    keeper.keep();
    await setTimeout(50);
    print({ without, reasons, count: count() });
    keeper.close();
    await untilNone();`;
  const reasons = [expect.stringContaining("EMFILE")];
  expect(await withFewDescriptors(code, folder)).toEqual({
    without: { reasons, count: 0 },
    reasons,
    count: 1,
  });
});

test("a single keeper runs from the first moment, and no keeper after an early close", async () => {
  const code = `${KEEPER}
    keeper.keep();
    keeper.keep();
    const first = count();
    keeper.close();
    await untilNone();
    print({ first, reasons });`;
  expect(await withFewDescriptors(code, folder)).toEqual({ first: 1, reasons: [] });
});

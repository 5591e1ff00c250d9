import { expect, test } from "vitest";
import { withFewDescriptors } from "#plumbing/descriptors-suite";

test("a program that cannot be started for want of file descriptors has no version, and later it has one", async () => {
  const code = `
    import { versionOf } from "#cli/server/doctor/programs";
    takeDescriptors(2);
    const without = await versionOf("bash");
    giveBackDescriptors();
    print({ without, later: await versionOf("bash") });`;
  expect(await withFewDescriptors(code)).toEqual({ later: expect.stringMatching(/^\d+\.\d+/) });
});

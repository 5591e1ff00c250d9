import { expect, test } from "vitest";
import { endRunsOverQuota } from "#scheduler/quota-watch";

test("a user whose quota cannot be checked keeps no other user's runs from being ended", async () => {
  const failed: string[] = [];
  const logged: object[] = [];
  const driver = (ownerId: string) => ({ ownerId, fail: (reason: string) => failed.push(reason) });
  await endRunsOverQuota([driver("unknown"), driver("over"), driver("fine"), driver("over")], {
    quotas: {
      async maybeUsedUpNow(userId) {
        if (userId === "unknown") throw new Error("no");
        return userId === "over" ? "Used up." : undefined;
      },
    },
    log: { error: (details) => logged.push(details) },
  });
  expect(failed).toEqual(["Used up.", "Used up."]);
  expect(logged).toEqual([{ err: new Error("no"), user: "unknown" }]);
});

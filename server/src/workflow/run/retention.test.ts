import { expect, test } from "vitest";
import { retentionProblems, retentionRules } from "#workflow/run/retention";
import type { Specification } from "#workflow/specification/specification";

const ruled = (rules: unknown) =>
  ({ workflow: { type: "serial" }, workspace: { retention_days: rules } }) as unknown as Specification;

test.each([
  [{}, "workspace.retention_days is {}; it must map at least one pattern of files to a number of days."],
  [null, "workspace.retention_days is null; it must map at least one pattern of files to a number of days."],
  [5, "workspace.retention_days is 5; it must map at least one pattern of files to a number of days."],
  [{ a: 0.5 }, "workspace.retention_days.a is 0.5; it must be a whole number of days from 0 to 3650000."],
  [{ a: true }, "workspace.retention_days.a is true; it must be a whole number of days from 0 to 3650000."],
  [
    { a: 3_650_001 },
    "workspace.retention_days.a is 3650001; it must be a whole number of days from 0 to 3650000.",
  ],
  [{ "": 1 }, "Retention rule  cannot be empty"],
])("the rules %j are a problem and none of them is kept", (rules, message) => {
  expect([...retentionProblems(ruled(rules))].map((one) => one.message)).toEqual([message]);
  expect(retentionRules(ruled(rules))).toEqual([]);
});

test("a pattern that is too long is a problem", () => {
  const [problem] = retentionProblems(ruled({ ["x".repeat(5000)]: 1 }));
  expect(problem?.message).toMatch(/^Retention rule x{200}… cannot be so long$/);
});

test("rules of the right form, and a workflow without rules, are no problem", () => {
  expect([...retentionProblems(ruled({ "**/*.txt": 0, data: 3_650_000 }))]).toEqual([]);
  expect([...retentionProblems(ruled(undefined))]).toEqual([]);
});

import { expect, test } from "vitest";
import { maybeStricter } from "#backends/containers/call-profile";

const ALLOWED = { names: ["clone", "clone3", "keyctl", "read", "socket"], action: "SCMP_ACT_ALLOW" };

const rulesOf = (profile: object) =>
  (JSON.parse(maybeStricter(profile)!) as { syscalls: { names: string[]; action: string }[] }).syscalls;

test("calls about keyrings go, ordinary calls stay, and sockets have named families", () => {
  const rules = rulesOf({ defaultErrnoRet: 38, syscalls: [ALLOWED] });
  const names = rules.flatMap((rule) => rule.names);
  expect(rules[0]).toEqual({ names: ["read"], action: "SCMP_ACT_ALLOW" });
  expect(names).not.toContain("keyctl");
  expect(rules.filter((rule) => rule.names.includes("socket")).every((rule) => "args" in rule)).toBe(true);
});

test("clone3 seems absent whatever the profile reports for a refused call, since the C library needs that", () => {
  const refused = (profile: object) => rulesOf(profile).filter((rule) => rule.names.includes("clone3"));
  expect(refused({ defaultErrnoRet: 38, syscalls: [ALLOWED] })).toEqual([]);
  expect(refused({ defaultErrnoRet: 1, syscalls: [ALLOWED] })).toEqual([
    { names: ["clone3"], action: "SCMP_ACT_ERRNO", errnoRet: 38, args: [] },
  ]);
});

test("a malformed file yields no profile", () => {
  expect(maybeStricter({ calls: [] })).toBeUndefined();
  expect(maybeStricter([])).toBeUndefined();
});

import { expect, test } from "vitest";
import { isFiltered, wantedIn, withoutEmpty } from "./jobs-wanted.ts";

test.each<[string, ReturnType<typeof wantedIn>]>([
  ["", {}],
  ["node=2", { node: "2" }],
  ["state=failed&find=s07", { status: "failed", search: "s07" }],
  ["state=unknown&find=&job=1.0", {}],
  ["state=constructor", {}],
])("the address %j wants %j", (search, wanted) => {
  expect(wantedIn(new URLSearchParams(search))).toEqual(wanted);
  expect(isFiltered(wanted)).toBe("status" in wanted || "search" in wanted);
});

test("empty fields are left out of the address", () => {
  expect(withoutEmpty({ state: "", find: "x" })).toEqual({ find: "x" });
});

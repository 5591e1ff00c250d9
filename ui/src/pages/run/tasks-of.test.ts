import { expect, test } from "vitest";
import { tasksOf } from "./tasks-of.ts";

test.each([
  ["count/0", "count", [1]],
  ["align/3/sort", "align/sort", [4]],
  ["align/3/sort/11", "align/sort", [4, 12]],
  ["table", "table", []],
  // Other languages name their jobs in other ways.
  ["2.1", "2", []],
  ["/greet:0", "/greet", []],
  ["greet[name=cy]", "rule greet", []],
])("the key %s of the node %s has the tasks %j", (key, node, tasks) => {
  expect(tasksOf({ key, node })).toEqual(tasks);
});

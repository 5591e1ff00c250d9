import { expect, test } from "vitest";
import { stuckStages } from "#workflow/specification/yadage-dependencies";

const stage = (name: string, ...dependencies: unknown[]) => ({ name, dependencies });

test("stages that can never become applicable are found with the reason", () => {
  const stages = [
    stage("map", "init"),
    stage("reduce", "mapp"),
    stage("plot", "reduce", "map"),
    stage("one", "other"),
    stage("other", "$.one[*].fit"),
    stage("free"),
    stage("any", "*", "map|nowhere"),
    { name: "fulfilled", dependencies: { dependency_type: "expressions_fulfilled", expressions: [{}] } },
    {
      name: "long",
      dependencies: { dependency_type: "jsonpath_ready", expressions: ["map[*]", "nowhere.x"] },
    },
  ];
  expect(stuckStages(stages, { hasInit: true })).toEqual([
    { name: "reduce", index: 1, reason: 'it depends on "mapp", which is no stage' },
    { name: "plot", index: 2, reason: 'it depends on "reduce", which never becomes applicable either' },
    { name: "one", index: 3, reason: 'it depends on "other", which never becomes applicable either' },
    { name: "other", index: 4, reason: 'it depends on "one", which never becomes applicable either' },
    { name: "long", index: 8, reason: 'it depends on "nowhere", which is no stage' },
  ]);
});

test("without parameters there is no stage to wait for first", () => {
  expect(stuckStages([stage("map", "init")], { hasInit: false })).toEqual([
    {
      name: "map",
      index: 0,
      reason: 'it depends on "init", and a run without parameters has no such stage',
    },
  ]);
});

import { describe, expect, test } from "vitest";
import { maybeCores } from "#engines/steps/limits";
import { serialEngine } from "#engines/serial/serial-engine";

function check(step: object): readonly string[] {
  const steps = [{ commands: ["true"] }, { commands: ["true"], ...step }];
  const specification = { workflow: { type: "serial" as const, specification: { steps } } };
  return serialEngine.check({ specification, parameters: {}, options: {} }).map(({ message }) => message);
}

describe("a start is refused if a limit cannot be read", () => {
  test.each(["x", "", 0, -1, "-1", null, true, [60], Infinity])("kubernetes_job_timeout: %j", (timeout) => {
    expect(check({ kubernetes_job_timeout: timeout })).toEqual([
      `Step 2: kubernetes_job_timeout is ${JSON.stringify(timeout)}; it must be a number of seconds above 0.`,
    ]);
  });

  test.each(["lots", "", "1 Gi", "-1", null, true, ["1Gi"]])("kubernetes_memory_limit: %j", (limit) => {
    expect(check({ kubernetes_memory_limit: limit })).toEqual([
      `Step 2: kubernetes_memory_limit is ${JSON.stringify(limit)}; ` +
        "it must be an amount of memory such as 256Mi, 1.5G or 1000000.",
    ]);
  });

  test.each(["many", "", "0", 0, "1 core", "-1", null, true, ["2"]])("kubernetes_cpu_limit: %j", (limit) => {
    expect(check({ kubernetes_cpu_limit: limit })).toEqual([
      `Step 2: kubernetes_cpu_limit is ${JSON.stringify(limit)}; it must be a number of cores such as 2, 0.5 or 500m.`,
    ]);
  });

  test.each([2, 0.5, "1", "0.5", ".5", "500m"])("not with kubernetes_cpu_limit: %j", (limit) => {
    expect(check({ kubernetes_cpu_limit: limit })).toEqual([]);
  });

  test.each(["1.5m", ".5m", "0m"])(
    "kubernetes_cpu_limit and _request: %s are no whole thousandths",
    (cores) => {
      expect(check({ kubernetes_cpu_limit: cores, kubernetes_cpu_request: cores })).toEqual(
        ["limit", "request"].map(
          (what) =>
            `Step 2: kubernetes_cpu_${what} is "${cores}"; it must be a number of cores such as 2, 0.5 or 500m.`,
        ),
      );
    },
  );

  test.each([
    ["kubernetes_memory_request", "lots", "an amount of memory such as 256Mi, 1.5G or 1000000"],
    ["htcondor_request_cpus", "2.5", "a whole number of cores above 0"],
    ["htcondor_request_cpus", 0, "a whole number of cores above 0"],
    ["htcondor_request_memory", "2 GiB", "an amount such as 256 MB, 2 GB or 1000000"],
    ["htcondor_request_disk", null, "an amount such as 256 MB, 2 GB or 1000000"],
  ])("%s: %j", (key, value, wanted) => {
    expect(check({ [key]: value })).toEqual([
      `Step 2: ${key} is ${JSON.stringify(value)}; it must be ${wanted}.`,
    ]);
  });

  test("not with requests that can be read", () => {
    const requests = {
      kubernetes_cpu_request: "500m",
      kubernetes_memory_request: "1Gi",
      htcondor_request_cpus: "2",
      htcondor_request_memory: "2 GB",
      htcondor_request_disk: 1_000_000,
    };
    expect(check(requests)).toEqual([]);
  });

  test.each([1, 0.5, "60", 86_400])("not with kubernetes_job_timeout: %j", (timeout) => {
    expect(check({ kubernetes_job_timeout: timeout })).toEqual([]);
  });

  test.each(["256Mi", "1.5G", "1000000", 1_000_000, "1E"])(
    "not with kubernetes_memory_limit: %j",
    (limit) => {
      expect(check({ kubernetes_memory_limit: limit })).toEqual([]);
    },
  );

  test("both limits of a step are named", () => {
    expect(check({ kubernetes_job_timeout: "x", kubernetes_memory_limit: "lots" })).toHaveLength(2);
  });
});

test.each([
  ["500m", 0.5],
  ["2", 2],
  [1, 1],
  ["0.25", 0.25],
  ["0", undefined],
  ["many", undefined],
  [undefined, undefined],
])("kubernetes_cpu_limit %j is %s cores", (kubernetes_cpu_limit, cores) => {
  expect(maybeCores({ kubernetes_cpu_limit })).toBe(cores);
});

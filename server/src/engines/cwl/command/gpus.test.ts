import { expect, test } from "vitest";
import { askedGpus } from "#engines/cwl/command/gpus";
import type { Evaluator } from "#engines/cwl/expressions/evaluator";

const valued = (values: Readonly<Record<string, unknown>>): Evaluator =>
  ({
    what: 'Step "train"',
    value: (given: unknown) => (typeof given === "string" ? values[given] : given),
  }) as unknown as Evaluator;
const asked = (requirement: object, values = {}) =>
  askedGpus(
    { CUDARequirement: { class: "CUDARequirement", isHint: false, ...requirement } },
    valued(values),
    {} as Parameters<typeof askedGpus>[2],
  ).gpus;

test("the number of devices may be an expression, and is the smallest one", () => {
  expect(asked({})).toBe(1);
  expect(asked({ cudaDeviceCountMin: "$(inputs.n)" }, { "$(inputs.n)": 3 })).toBe(3);
  expect(asked({ cudaDeviceCountMin: 2, cudaDeviceCountMax: 4 })).toBe(2);
  expect(asked({ cudaDeviceCountMax: 4 })).toBe(4);
});

test.each([0, 0.5, "two", null, -1, 2000])(
  "a number of devices that is %j ends the run by name",
  (number) => {
    expect(() => asked({ cudaDeviceCountMin: "$(n)" }, { "$(n)": number })).toThrow(
      `Step "train", CUDARequirement: \`cudaDeviceCountMin\` is ${JSON.stringify(number)}, not a number of devices.`,
    );
  },
);

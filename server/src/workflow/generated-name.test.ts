import { expect, test } from "vitest";

import { systemRandom, type Random } from "#plumbing/ids";
import { generateName } from "#workflow/generated-name";
import { checkName } from "#workflow/run-name";

function fixed(...bytes: readonly number[]): Random {
  return { uuid: () => "", bytes: () => Buffer.from(bytes) };
}

test("a name is readable, possible, and the same for the same randomness", () => {
  expect(generateName(fixed(0, 0, 0, 0))).toBe(generateName(fixed(0, 0, 0, 0)));
  for (let i = 0; i < 100; i += 1) {
    const name = generateName(systemRandom);
    expect(name).toMatch(/^[a-z]+-[a-z]+$/);
    expect(checkName(name)).toBeUndefined();
  }
});

test("there are at least 64 × 64 different names, of lower-case letters alone", () => {
  const names = new Set<string>();
  for (let first = 0; first < 256; first += 1) {
    for (let second = 0; second < 256; second += 1) names.add(generateName(fixed(0, first, 0, second)));
  }
  expect(names.size).toBeGreaterThanOrEqual(64 * 64);
  expect([...names].every((name) => /^[a-z]{3,10}-[a-z]{3,10}$/.test(name))).toBe(true);
});

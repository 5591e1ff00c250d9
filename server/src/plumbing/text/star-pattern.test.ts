import { expect, test } from "vitest";
import { matchesStars } from "#plumbing/text/star-pattern";

test.each([
  ["python", "python", true],
  ["python", "python3", false],
  ["*", "", true],
  ["py*", "python:3.12", true],
  ["*/python:*", "docker.io/python:3.12", true],
  ["*/python:*", "docker.io/perl:5", false],
  ["a*b*c", "a-b-b-c", true],
  ["a*b*c", "a-c-b", false],
  // The parts must not overlap.
  ["ab*ba", "aba", false],
  ["a*a*a", "aa", false],
])("%s and %j: %j", (pattern, text, expected) => {
  expect(matchesStars(pattern, text)).toBe(expected);
});

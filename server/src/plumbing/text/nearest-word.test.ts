import { expect, test } from "vitest";
import { nearestWord } from "#plumbing/text/nearest-word";

test.each([
  ["helo", ["hello", "decay"], "hello"],
  ["Hello", ["hello"], "hello"],
  ["decya", ["decay", "delay"], "decay"],
  ["nope", ["hello", "decay"], undefined],
  ["ab", ["ax", "xy"], "ax"],
  ["flie", ["list", "file"], "file"],
  ["ab", ["xy"], undefined],
  ["", ["hello"], undefined],
  ["x".repeat(1000), ["x".repeat(1001)], undefined],
])("%s among %j: %s", (word, candidates, nearest) => {
  expect(nearestWord(word, candidates)).toBe(nearest);
});

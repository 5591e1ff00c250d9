import { describe, expect, test } from "vitest";
import {
  isFragment,
  isTooShort,
  type Passage,
  pronounsIn,
  readProse,
  titlesIn,
  tellWords,
  wordCount,
} from "./prose.ts";

const MAX_FRAGMENTS_PER_COMMENT = 0.01;
const MAX_TELL_WORDS_PER_WORD = 1 / 1000;
const MAX_PRONOUNS_PER_WORD = 7 / 100;
const MAX_RIDDLES = 0.01;
/** A text of at least four words is a riddle from this share of pronouns on. */
const RIDDLE = 1 / 5;

const passage = (text: string): Passage => ({ file: "example.ts", line: 1, text });
const shown = (passages: readonly Passage[]) =>
  passages.slice(0, 40).map(({ file, line, text }) => `${file}:${line} ${text.slice(0, 100)}`);

function shareOfPronouns(passages: readonly Passage[]): number {
  const counts = passages.map(pronounsIn);
  const pronouns = counts.reduce((sum, one) => sum + one.pronouns, 0);
  return pronouns / counts.reduce((sum, one) => sum + one.words, 0);
}

function isRiddle(text: Passage): boolean {
  const { pronouns, words } = pronounsIn(text);
  return words >= 4 && pronouns / words >= RIDDLE;
}

describe("the measure", () => {
  test.each([
    "Of whom nobody can say",
    "What was asked for",
    "Answers how each ended",
    "Whether the file is there",
    "Absent: there is none",
    "Present if it is a restart",
  ])("takes %j for a fragment", (text) => {
    expect(isFragment(passage(text))).toBe(true);
  });

  test.each(["Returns the files", "The files that did not arrive", "Closes the stream"])(
    "accepts %j as a sentence with a subject and a verb",
    (text) => {
      expect(isFragment(passage(text))).toBe(false);
    },
  );

  test("finds tell-words anywhere in a text", () => {
    expect(tellWords(passage("Whoever asks goes on meanwhile; nothing of it is kept"))).toHaveLength(4);
    expect(tellWords(passage("A client that reads nothing is disconnected"))).toHaveLength(0);
  });
});

test("the measure counts pronouns, and takes code for one word", () => {
  expect(pronounsIn(passage("Returns those that `one.of(them)` matches"))).toEqual({
    pronouns: 2,
    words: 5,
  });
});

test.each(["The step's.", "`jupyter`.", "Only these"])("a description %j cannot stand alone", (text) => {
  expect(isTooShort(passage(text))).toBe(true);
});

test("a description of three words can stand alone", () => {
  expect(isTooShort(passage("Name of the step."))).toBe(false);
});

test("the measure finds the titles of tests with a table of cases", () => {
  const source = 'test.each([[1, f(2)]])("adds %d, and says so", () => {});\ndescribe("a sum", () => {});';
  expect(titlesIn({ file: "sum.test.ts", source }).map(({ text }) => text)).toEqual([
    "adds …, and says so",
    "a sum",
  ]);
});

/** docs/style.md has the rules and ten examples. */
describe("the prose of the checkout", () => {
  const { docComments, comments, passages, messages, descriptions, titles } = readProse();

  test("opens at most one doc comment in a hundred with a fragment", () => {
    const fragments = docComments.filter(isFragment);
    const share = fragments.length / docComments.length;
    expect(share, shown(fragments).join("\n")).toBeLessThanOrEqual(MAX_FRAGMENTS_PER_COMMENT);
  });

  test.each([
    ["comments", comments],
    ["titles of tests", titles],
  ])("names the noun: at most seven words in a hundred of its %s are pronouns", (_, passagesOfKind) => {
    expect(passagesOfKind.length).toBeGreaterThan(3000);
    expect(shareOfPronouns(passagesOfKind)).toBeLessThanOrEqual(MAX_PRONOUNS_PER_WORD);
  });

  test.each([
    ["comments", comments],
    ["titles of tests", titles],
  ])("has at most one riddle in a hundred of its %s", (_, passagesOfKind) => {
    const riddles = passagesOfKind.filter(isRiddle);
    expect(riddles.length / passagesOfKind.length, shown(riddles).join("\n")).toBeLessThanOrEqual(
      MAX_RIDDLES,
    );
  });

  test("describes the API in texts that stand alone, with at most seven pronouns in a hundred words", () => {
    expect(descriptions.length).toBeGreaterThan(400);
    expect(shown(descriptions.filter(isTooShort))).toEqual([]);
    expect(shareOfPronouns(descriptions)).toBeLessThanOrEqual(MAX_PRONOUNS_PER_WORD);
  });

  test("has at most one tell-word in a thousand words", () => {
    const told = passages.filter((one) => tellWords(one).length > 0);
    const count = told.flatMap(tellWords).length;
    const words = passages.reduce((sum, one) => sum + wordCount(one), 0);
    expect(count / words, shown(told).join("\n")).toBeLessThanOrEqual(MAX_TELL_WORDS_PER_WORD);
  });

  test("has at most one tell-word in a thousand words of its help, messages and API", () => {
    expect(messages.length).toBeGreaterThan(1000);
    const told = messages.filter((one) => tellWords(one).length > 0);
    const words = messages.reduce((sum, one) => sum + wordCount(one), 0);
    expect(told.flatMap(tellWords).length / words, shown(told).join("\n")).toBeLessThanOrEqual(
      MAX_TELL_WORDS_PER_WORD,
    );
  });
});

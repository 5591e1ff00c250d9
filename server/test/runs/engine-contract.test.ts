import { describe, expect, test } from "vitest";
import { engineContract } from "#engines/contract-suite";
import type { Answer, Ask, Checksum, Collected, EngineInput, Listing } from "#engines/engine";
import type { Job } from "#workflow/job";
import { surveyEngine } from "../support/survey-engine.ts";
import { surveyOf } from "../support/surveys.ts";
import { evaluateTiny } from "../support/tiny-expressions.ts";

/** Returns the answer to any request about files. The list of items is the name of the file that holds it. */
function answer(ask: Ask): Answer | undefined {
  switch (ask.do) {
    case "look":
      return {
        kind: "looked",
        id: ask.id,
        files: ask.paths.map((path) => ({ path, kind: "file", bytes: 1 })),
      };
    case "read":
      return { kind: "read", id: ask.id, text: ask.path.replaceAll(",", "\n"), bytes: ask.path.length };
    case "list":
      return { kind: "listed", id: ask.id, listing: listOf(ask) };
    case "checksum":
      return { kind: "checksummed", id: ask.id, files: ask.paths.map(checksum) };
    case "write":
      return { kind: "written", id: ask.id };
    case "stamp":
      return { kind: "stamped", id: ask.id, inputs: [], stamps: {} };
    case "publish":
      return { kind: "published", id: ask.id, files: ask.files.map(({ to }) => checksum(to)) };
  }
}

function checksum(path: string): Checksum {
  return { path, bytes: 1, algorithm: "sha256", digest: "00" };
}

/** Answers with two pages of one file each. */
function listOf({ folder, after }: Extract<Ask, { do: "list" }>): Listing {
  if (after !== undefined) return listing(`${folder}/1/b`);
  return { ...listing(`${folder}/0/a`), isCut: true };
}

function listing(...paths: string[]): Listing {
  return { entries: paths.map((path) => ({ path, kind: "file", bytes: 1 })), isCut: false };
}

const collectedOf = ({ collect }: Job): Collected => ({
  sums: [checksum(`${collect!.folder}/made`)],
  texts: [{ path: `${collect!.folder}/made`, text: "x", bytes: 1 }],
  listing: listing(`${collect!.folder}/made`),
  isCut: false,
});

const inputs: readonly EngineInput[] = [
  surveyOf({ list: "a,b,c,d" }),
  surveyOf({ list: "a", when: '["more",["get","count"],2]' }),
  surveyOf({ list: "," }),
  surveyOf({ list: "a,b", script: '["forever"]' }),
  surveyOf({ list: "a,b", when: "no expression" }),
];

engineContract("an engine that needs everything", {
  engine: surveyEngine,
  evaluate: evaluateTiny,
  inputs,
  answer,
  collectedOf,
});

describe("the expressions of the tests", () => {
  test.each([
    ['["join","echo ",["get","item"]]', { ok: true, value: "echo x" }],
    ['["more",3,2]', { ok: true, value: true }],
    ['["forever"]', { ok: false, reason: "it took more than 50 steps" }],
    ['["rm"]', { ok: false, reason: "there is no function rm" }],
  ])("%s", (source, expected) => {
    expect(evaluateTiny(source, { item: "x" }, 50)).toEqual(expected);
  });
});

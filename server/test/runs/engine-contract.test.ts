import { describe, expect, test } from "vitest";
import { engineContract, SOME_RUN } from "#engines/contract-suite";
import { evaluatesNothing } from "#engines/engine";
import type { Answer, ChannelAsk, Checksum, Collected, EngineInput, FileAsk, Listing } from "#engines/engine";
import { loadJavaScript } from "#plumbing/javascript/evaluate";
import type { Job } from "#workflow/job/job";
import { scatterEngine } from "../support/engines/scatter-engine.ts";
import { surveyEngine } from "../support/engines/survey-engine.ts";
import { surveyOf } from "../support/engines/surveys.ts";
import { evaluateTiny } from "../support/engines/tiny-expressions.ts";

/** Returns the answer to any request about files. The list of items is the name of the file that holds it. */
function answer(ask: FileAsk | ChannelAsk): Answer | undefined {
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
    case "tell":
      return { kind: "told", id: ask.id };
    case "hear":
      return { kind: "heard", id: ask.id, lines: ["1 one", "2 two"], to: 12 };
    case "publish":
      return { kind: "published", id: ask.id, files: ask.files.map(({ to }) => checksum(to)) };
  }
}

function checksum(path: string): Checksum {
  return { path, bytes: 1, algorithm: "sha256", digest: "00" };
}

/** Returns two pages with one file each. */
function listOf({ folder, after }: Extract<FileAsk, { do: "list" }>): Listing {
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

const DOCUMENTS = {
  "a.json": '{"extends": "b.json", "list": "a"}',
  "b.json": '{"script": "1", "when": "false", "parameters": {"x": 1}}',
  "circle.json": '{"extends": "circle.json"}',
};
const requests = ["a.json", "circle.json", "none.json", "../a.json"].flatMap((from) =>
  [{}, { x: 2 }, { y: 2 }].map((parameters) => ({
    specification: { workflow: { type: "cwl" as const, specification: { from } } },
    parameters,
    options: {},
  })),
);

engineContract("an engine that needs everything", {
  prepared: { requests, documents: DOCUMENTS },
  engine: surveyEngine,
  evaluate: evaluateTiny,
  inputs,
  answer,
  collectedOf,
});

engineContract("an engine of wide scatters", {
  engine: scatterEngine,
  evaluate: evaluatesNothing,
  inputs: [1, 7, 40].map((width) => ({
    specification: { workflow: { type: "cwl", specification: { width } } },
    parameters: {},
    options: {},
    run: SOME_RUN,
  })),
  answer,
  collectedOf,
});

const LIBRARY = "var made = []; function visit(item) { made.push(item); return 'visit ' + made; }";
const inJavaScript = { library: LIBRARY, script: "visit(item)", when: "count > 0" };

engineContract("an engine with expressions in JavaScript", {
  engine: surveyEngine,
  evaluate: await loadJavaScript(),
  inputs: [
    surveyOf({ ...inJavaScript, list: "a,b,c,d" }),
    surveyOf({ ...inJavaScript, list: "a,b", when: "visit(count) === 'visit 0'" }),
    surveyOf({ ...inJavaScript, list: "a", script: "(function () { for (;;); })()" }),
    surveyOf({ ...inJavaScript, list: "a", library: "no script" }),
  ],
  answer,
  collectedOf,
});

describe("the expressions of the tests", () => {
  const library = '{"greet":["join","hello ",["get","item"]],"again":["use","again"]}';

  test.each([
    ['["join","echo ",["get","item"]]', { ok: true, value: "echo x" }],
    ['["more",3,2]', { ok: true, value: true }],
    ['["forever"]', { ok: false, reason: "it took more than 50 steps" }],
    ['["use","greet"]', { ok: true, value: "hello x" }],
    ['["use","again"]', { ok: false, reason: "it took more than 50 steps" }],
    ['["rm"]', { ok: false, reason: "there is no function rm" }],
  ])("%s", (source, expected) => {
    expect(evaluateTiny({ source, input: { item: "x" }, library, maxSteps: 50 })).toEqual(expected);
  });
});

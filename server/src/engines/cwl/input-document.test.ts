import { describe, expect, test } from "vitest";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import { answerAll, lastOf, type RunWorld, type Texts } from "#engines/cwl/cwl-fixture";
import { prepareCwl } from "#engines/cwl/cwl-preparation";
import { INPUT_FILE } from "#engines/cwl/load/read-job";
import { SOME_RUN } from "#engines/contract-suite";
import { evaluatesNothing, type RunRequest } from "#engines/engine";

/** A document with the inputs, in the folder of the workflow, like in REANA's examples. */
const DOCUMENT = "workflow/cwl/job.yml";
const TEXTS: Texts = {
  "workflow/cwl/main.cwl": JSON.stringify({
    cwlVersion: "v1.2",
    class: "CommandLineTool",
    baseCommand: "cat",
    inputs: { code: "File", folder: "Directory?", note: "string?" },
    outputs: {},
  }),
  [DOCUMENT]: "code: {class: File, location: code/run.py}\n",
};

function requestWith(parameters: Readonly<Record<string, unknown>>): RunRequest {
  const workflow = { type: "cwl", file: "workflow/cwl/main.cwl" } as const;
  return { specification: { workflow, inputs: { parameters } }, parameters: {}, options: {} };
}

function prepared(parameters: Readonly<Record<string, unknown>>, more: Texts = {}, root: "" | "/" = "") {
  const request = requestWith(parameters);
  const made = prepareCwl(request, { ...TEXTS, ...more }, { root });
  if (made.kind !== "ready") throw new Error(JSON.stringify(made));
  return { ...request, model: made.model, run: SOME_RUN };
}

/** Plays a run in a workspace with the given files. Returns the reason of its failure. */
function failureIn(files: readonly string[], more: Texts = {}): string {
  const answer: RunWorld["answer"] = (ask) => {
    if (ask.do !== "look") return answerAll(ask);
    const kindOf = (path: string) => (files.includes(path) ? ("file" as const) : ("absent" as const));
    return {
      kind: "looked",
      id: ask.id,
      files: ask.paths.map((path) => ({ path, kind: kindOf(path), bytes: 1 })),
    };
  };
  const loaded = createCwlEngine().load(prepared({ input: DOCUMENT }, more), evaluatesNothing);
  return (lastOf(loaded, { answer }) as { readonly reason: string }).reason;
}

describe("paths in a document with the inputs", () => {
  const job = { code: { class: "File", location: "code/run.py" } };

  test("start at the root of the workspace if the specification names the document", () => {
    expect(prepared({ input: DOCUMENT }).model).toMatchObject({ job });
  });

  test("start at the document with `workflow.parameters.file` too, for `path` and in included files", () => {
    const request = requestWith({});
    const workflow = { ...request.specification.workflow, parameters: { file: DOCUMENT } };
    const document = "code: {class: File, path: code/run.py}\nnote: {$include: notes/note.txt}\n";
    const texts = { ...TEXTS, [DOCUMENT]: document, "notes/note.txt": "noted" };
    const made = prepareCwl({ ...request, specification: { workflow } }, texts);
    expect(made).toMatchObject({ model: { job: { ...job, note: "noted" } } });
  });

  test("start at its folder if cwl-runner names the document", () => {
    const location = "/workflow/cwl/code/run.py";
    const { model } = prepared({ [INPUT_FILE]: DOCUMENT }, {}, "/");
    expect(model).toMatchObject({ job: { code: { location } } });
  });

  test("start at the address of a document from the web", () => {
    const address = "https://example.org/jobs/job.yml";
    const note = "code: {class: File, location: 'https://example.org/a'}\nnote: {$include: note.txt}\n";
    const texts = { [address]: note, "https://example.org/jobs/note.txt": "noted" };
    expect(prepared({ input: address }, texts).model).toMatchObject({ job: { note: "noted" } });
  });
});

test("a path that leads out is refused with the start of the path", () => {
  const texts = { ...TEXTS, [DOCUMENT]: "code: {class: File, location: ../../code/run.py}\n" };
  expect(prepareCwl(requestWith({ input: DOCUMENT }), texts)).toMatchObject({
    problems: [
      {
        file: DOCUMENT,
        message:
          '"../../code/run.py" leads out of the workspace. Paths in this document start at the root of the workspace.',
      },
    ],
  });
});

describe("a missing file that the document names", () => {
  const start =
    "the input `code`: code/run.py does not exist (paths in workflow/cwl/job.yml start at the root of the workspace";

  test("is reported with where its path starts", () => {
    expect(failureIn([])).toContain(`${start}).`);
  });

  test("is found beside the document, and the path to write is said", () => {
    expect(failureIn(["workflow/cwl/code/run.py"])).toContain(
      `${start}: write workflow/cwl/code/run.py, which exists).`,
    );
  });

  test("named in another place is reported without the place", () => {
    const parameters = { input: DOCUMENT, code: { class: "File", location: "other.py" } };
    const answer: RunWorld["answer"] = (ask) =>
      ask.do === "look"
        ? { kind: "looked", id: ask.id, files: ask.paths.map((path) => ({ path, kind: "absent", bytes: 0 })) }
        : answerAll(ask);
    const loaded = createCwlEngine().load(prepared(parameters), evaluatesNothing);
    expect(lastOf(loaded, { answer })).toMatchObject({
      reason: "main.cwl: the input `code`: other.py does not exist.",
    });
  });
});

import { expect, test } from "vitest";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import {
  answerAll,
  collectedOf,
  inputFor,
  lastOf,
  problemsOf,
  type RunWorld,
  type Texts,
} from "#engines/cwl/cwl-fixture";
import type { Evaluate, ListedEntry } from "#engines/engine";
import { loadJavaScript } from "#plumbing/javascript/evaluate";

const javaScript = await loadJavaScript();
const evaluate: Evaluate = (evaluation) => javaScript({ ...evaluation, maxSteps: 1e6 });
const engine = createCwlEngine();

const tool = (fields: object) =>
  JSON.stringify({
    cwlVersion: "v1.2",
    class: "CommandLineTool",
    baseCommand: "make",
    inputs: {},
    outputs: {},
    ...fields,
  });
/** A workflow with the single step `fit`, running `tool.cwl`. */
const workflow = (step: object = {}) =>
  JSON.stringify({
    cwlVersion: "v1.2",
    class: "Workflow",
    requirements: {
      InlineJavascriptRequirement: {},
      StepInputExpressionRequirement: {},
      ScatterFeatureRequirement: {},
    },
    inputs: {},
    outputs: {},
    steps: { fit: { run: "tool.cwl", in: {}, out: [], ...step } },
  });
/** A workflow of steps, each mapped to the step before it. */
const chain = (links: Readonly<Record<string, string>>) => {
  const steps = Object.entries(links).map(([name, before]) => [
    name,
    { run: "tool.cwl", in: { of: `${before}/made` }, out: ["made"] },
  ]);
  return workflow().replace(/"steps":.*/, `"steps":${JSON.stringify(Object.fromEntries(steps))}}`);
};
/** Documents `d0.yml`, `d1.yml` and so on, each made from an import of the next. */
const doublings = (count: number, made: (next: object) => unknown): Texts =>
  Object.fromEntries(
    Array.from({ length: count + 1 }, (_, index) => [
      `d${index}.yml`,
      JSON.stringify(index < count ? made({ $import: `d${index + 1}.yml` }) : []),
    ]),
  );
const ADDRESS = "https://files.example/fit.cwl?token=s3cret";
const runsItself = workflow({ run: "main.cwl" });

test.each<[string, Texts, string]>([
  [
    "broken YAML",
    { "main.cwl": "cwlVersion: v1.2\nclass: [Tool\n" },
    "main.cwl, line 3, column 1: The document is not valid YAML: ",
  ],
  [
    "a type that is not known",
    { "main.cwl": tool({ inputs: { a: "Flie" } }) },
    "The type `Flie` is not known; did you mean `File`?",
  ],
  [
    "a step that waits for itself",
    {
      "main.cwl": chain({ b: "c", d: "a", a: "b", c: "a" }),
      "tool.cwl": tool({ inputs: { of: "File" }, outputs: { made: "stdout" } }),
    },
    "Step `b` waits for itself: b → a → c → b.",
  ],
  ["a workflow that runs itself", { "main.cwl": runsItself }, "main.cwl runs itself: main.cwl → main.cwl."],
  [
    "an import of itself",
    { "main.cwl": tool({ hints: [{ $import: "a.yml" }] }), "a.yml": "$import: a.yml" },
    "a.yml imports itself",
  ],
  [
    "imports that double 30 times",
    { "main.cwl": tool({ hints: [{ $import: "d0.yml" }] }), ...doublings(30, (next) => [next, next]) },
    ".yml was the next. A document counts each time that it is imported",
  ],
  [
    "a large text that imports multiply",
    {
      "main.cwl": tool({ hints: [{ $import: "d0.yml" }] }),
      ...doublings(8, (next) => [next, next, { $include: "large.txt" }]),
      "large.txt": "x".repeat(1 << 18),
    },
    "more than 10000 imports or 16 MiB; large.txt was the next.",
  ],
  [
    "a step that cwltool has lost by packing",
    { "main.cwl": workflow().replace(/"fit":\{.*?\}(?=\})/, '"fit":{"$import":"#main/fit"}') },
    '"#main/fit" names no document. If cwltool packed this one, a step has the name of an output: rename one.',
  ],
  [
    "an unknown requirement",
    { "main.cwl": tool({ requirements: { Magic: {} } }) },
    "Unsupported: CommandLineTool `main.cwl`: the requirement `Magic` is not known.",
  ],
  [
    "a requirement of a later version",
    { "main.cwl": tool({ cwlVersion: "v1.0", requirements: { WorkReuse: { enableReuse: false } } }) },
    "the requirement `WorkReuse` needs `cwlVersion: v1.1`, and the document says v1.0.",
  ],
  [
    "an Operation",
    { "main.cwl": workflow(), "tool.cwl": tool({ class: "Operation", baseCommand: undefined }) },
    "Unsupported: Operation `tool.cwl` cannot be run",
  ],
  [
    "another version",
    { "main.cwl": tool({ cwlVersion: "v1.3" }) },
    'The version "v1.3" is not supported. Supported are v1.0, v1.1, v1.2.',
  ],
])("%s is refused at the start, with file, line and column", (_, texts, sentence) => {
  const told = problemsOf(texts).map(
    ({ file, line, column, message }) => `${file}, line ${line}, column ${column}: ${message}`,
  );
  expect(told[0]).toMatch(/^\w+\.\w+, line \d+, column \d+: /);
  expect(told.join("\n")).toContain(sentence);
});

test.each<[string, Texts, string]>([
  ["has no such process", { [ADDRESS]: "$graph: []" }, "has no process `main`"],
  ["is no document", { [ADDRESS]: "a text" }, "is no CWL document"],
  ["imports itself", { [ADDRESS]: `hints: {$import: "${ADDRESS}"}` }, "imports itself"],
  [
    "runs itself",
    { [ADDRESS]: workflow({ run: ADDRESS }) },
    "runs itself: main.cwl → https://files.example/",
  ],
])("a document that %s is named without the token in its address", (_, texts, sentence) => {
  const [problem] = problemsOf({ "main.cwl": workflow({ run: ADDRESS }), ...texts });
  expect(problem!.message).toContain(sentence);
  expect(JSON.stringify(problem)).not.toContain("s3cret");
});

test("a problem in a document of this machine names its whole path", () => {
  const place = { file: "home/main.cwl", root: "/" } as const;
  expect(problemsOf({ "home/main.cwl": runsItself }, {}, place)).toMatchObject([
    { file: "/home/main.cwl", message: "main.cwl runs itself: /home/main.cwl → /home/main.cwl." },
  ]);
});

test("input files that no run may read are all reported at once", () => {
  const file = (place: string) => ({ class: "File", path: place });
  const inputs = { one: file("/etc/passwd"), other: file("../../secret"), good: file("a.txt") };
  const texts = { "main.cwl": tool({ inputs: { one: "File", other: "File", good: "File" } }) };
  expect(problemsOf(texts, inputs).map(({ message }) => message)).toEqual([
    '"/etc/passwd" is an absolute path. Give one relative to the document.',
    '"../../secret" leads out of the workspace.',
  ]);
});

test("an unknown hint is a warning", () => {
  expect(inputFor({ "main.cwl": tool({ hints: { Magic: {} } }) }).model).toMatchObject({
    warnings: [expect.stringContaining("the hint `Magic` is not known. It is ignored.")],
  });
});

/** Returns the reason of a run's failure. */
function failureOf(texts: Texts, world: Partial<RunWorld> = {}): string {
  const last = lastOf(engine.load(inputFor(texts), evaluate), world);
  return last.do === "fail" ? last.reason : "It does not fail.";
}

const JAVASCRIPT = { requirements: { InlineJavascriptRequirement: {} } };

test.each([
  ["throws", "throw new Error('no such band');", "it threw Error: no such band."],
  ["never ends", "while (true) {}", "it took more than 1000000 steps."],
  ["fills the memory", "return new Uint8Array(1e8).length;", "out of memory."],
  ["returns 100 MB", "return 'x'.repeat(1e8);", "out of memory."],
])(
  "an expression that %s fails the step with the expression, the place and the reason",
  (_, body, reason) => {
    const argument = tool({ ...JAVASCRIPT, arguments: [`\${ ${body} }`] });
    const sentence = failureOf({ "main.cwl": workflow(), "tool.cwl": argument });
    expect(sentence).toContain(
      `Step "fit", \`valueFrom\` on its command line: the expression \`\${ ${body} }\` failed: `,
    );
    expect(sentence).toContain(reason);
  },
);

test.each([
  ["its input `band`", { in: { band: { default: 1, valueFrom: "$(no)" } } }, {}],
  ["`when`", { when: "$(no)" }, {}],
  ["`stdin`", {}, { stdin: "$(no)" }],
  ["`stdout`", {}, { stdout: "$(no)" }],
  [
    "the output `made`, `glob`",
    {},
    { outputs: { made: { type: "File", outputBinding: { glob: "$(no)" } } } },
  ],
  [
    "the output `made`, `outputEval`",
    {},
    { outputs: { made: { type: "int", outputBinding: { outputEval: "$(no)" } } } },
  ],
  [
    "the variable BAND",
    {},
    { requirements: { ...JAVASCRIPT.requirements, EnvVarRequirement: { envDef: { BAND: "$(no)" } } } },
  ],
  [
    "`coresMin`",
    {},
    { requirements: { ...JAVASCRIPT.requirements, ResourceRequirement: { coresMin: "$(no)" } } },
  ],
  [
    "`entry`",
    {},
    {
      requirements: {
        ...JAVASCRIPT.requirements,
        InitialWorkDirRequirement: { listing: [{ entryname: "a", entry: "$(no)" }] },
      },
    },
  ],
])("an expression failing in %s names the reason", (place, step, fields) => {
  const texts = { "main.cwl": workflow(step), "tool.cwl": tool({ ...JAVASCRIPT, ...fields }) };
  expect(failureOf(texts)).toBe(
    `Step "fit", ${place}: the expression \`$(no)\` failed: it threw ReferenceError: 'no' is not defined.`,
  );
});

test("more than 1,000,000 jobs in one scatter are refused before the first, with the numbers", () => {
  const lists = {
    a: { default: Array.from({ length: 1001 }).fill(1) },
    b: { default: Array.from({ length: 1000 }).fill(2) },
  };
  const step = { in: lists, scatter: ["a", "b"], scatterMethod: "flat_crossproduct" };
  const inputs = { a: "int", b: "int" };
  expect(failureOf({ "main.cwl": workflow(step), "tool.cwl": tool({ inputs }) })).toBe(
    'Step "fit" would scatter into 1001 × 1000 = 1001000 tasks; at most 1000000 are allowed.',
  );
});

const made = (outputBinding: object, type = "File") => ({ outputs: { made: { type, outputBinding } } });

/** Leaves the given entries in the folder of each job. */
const leaving =
  (...entries: readonly Omit<ListedEntry, "bytes">[]): RunWorld["collected"] =>
  (job) => ({
    ...collectedOf(job),
    listing: {
      entries: entries.map((entry) => ({
        bytes: 70_000,
        ...entry,
        path: `${job.collect!.folder}/${entry.path}`,
      })),
      isCut: false,
    },
  });

const OWN_FILE = "cwl.output.json";
const own = JSON.stringify({ made: { class: "File", path: "/etc/passwd" } });

test.each<[string, object, string, RunWorld["collected"]]>([
  [
    "is missing",
    made({ glob: "*.txt" }),
    "the pattern *.txt matches no file (there are: b.csv).",
    leaving({ path: "b.csv", kind: "file" }),
  ],
  ["is of the wrong type", made({ outputEval: "$(5)" }, "string"), "is 5, not string.", leaving()],
  ["is outside", made({ glob: "../../a" }), "the glob ../../a leads out of the working folder.", leaving()],
  [
    "is a link to the outside",
    made({ glob: "a" }),
    "the link a leads outside of the job's folder, which no output may.",
    leaving({ path: "a", kind: "link", target: "other/a" }),
  ],
  [
    "has contents above 64 KiB",
    made({ glob: "a", loadContents: true }),
    "a has 70000 bytes; at most 65536 can be loaded with `loadContents`.",
    leaving({ path: "a", kind: "file" }),
  ],
  [
    "is written down, and outside",
    made({ glob: "a" }),
    "/etc/passwd is named as an output, but it does not exist in the job's folder.",
    leaving({ path: OWN_FILE, kind: "file" }),
  ],
])(
  "an output that %s fails the run with step, port, pattern and what was there",
  (_, outputs, reason, collected) => {
    const texts = { "main.cwl": workflow(), "tool.cwl": tool({ ...JAVASCRIPT, ...outputs }) };
    const answer: RunWorld["answer"] = (ask) => {
      if (ask.do !== "read") return answerAll(ask);
      const isOwn = ask.path.endsWith(OWN_FILE);
      return { kind: "read", id: ask.id, text: isOwn ? own : "", bytes: isOwn ? own.length : 70_000 };
    };
    const sentence = failureOf(texts, { collected, answer });
    expect(sentence).toMatch(/^Step "fit": the output `made`/);
    expect(sentence.endsWith(reason)).toBe(true);
  },
);

test("a link in an output folder that leads nowhere fails the run with step, port and link", () => {
  const all = { type: "Directory", outputSource: "fit/made" };
  const texts = {
    "main.cwl": workflow({ out: ["made"] }).replace(
      '"outputs":{}',
      JSON.stringify({ outputs: { all } }).slice(1, -1),
    ),
    "tool.cwl": tool(made({ glob: "d" }, "Directory")),
  };
  const answer: RunWorld["answer"] = (ask) => {
    if (ask.do !== "list") return answerAll(ask);
    const link = { path: `${ask.folder}/l`, kind: "link", bytes: 0, target: null } as const;
    return { kind: "listed", id: ask.id, listing: { entries: [link], isCut: false } };
  };
  const sentence = failureOf(texts, { collected: leaving({ path: "d", kind: "folder" }), answer });
  expect(sentence).toMatch(/^Step "fit": the output `made`: the link \S+\/d\/l leads outside/);
});

test("input files that are missing are named before the first job, all at once", () => {
  const file = (path: string) => ({ class: "File", path });
  const inputs = {
    one: { type: "File", default: file("none.txt") },
    many: { type: "File[]", default: [file("a.txt"), file("no-b.txt")], secondaryFiles: [".idx"] },
    here: { type: "File", default: file("c.txt"), loadContents: true },
    folder: { type: "Directory", default: { class: "Directory", path: "no-data" } },
  };
  const answer: RunWorld["answer"] = (ask) => {
    if (ask.do !== "look") return answerAll(ask);
    const kindOf = (path: string) => (/no|idx/.test(path) ? ("absent" as const) : ("file" as const));
    return {
      kind: "looked",
      id: ask.id,
      files: ask.paths.map((path) => ({ path, kind: kindOf(path), bytes: 1 })),
    };
  };
  expect(failureOf({ "main.cwl": tool({ inputs }) }, { answer })).toBe(
    "main.cwl: the input `one`: none.txt does not exist; the input `many`[0]: the secondary file a.txt.idx of a.txt is missing (pattern `.idx`); the input `many`[1]: no-b.txt does not exist; the input `folder`: no-data does not exist.",
  );
});

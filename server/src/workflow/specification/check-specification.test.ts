import { readFileSync } from "node:fs";

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Refusal } from "#plumbing/errors";
import { refusalOf } from "#plumbing/refusal-fixture";
import { parseJson } from "#plumbing/formats/json";
import { parseYaml } from "#plumbing/formats/yaml";
import { LANGUAGES } from "#workflow/language";
import { checkSpecification } from "#workflow/specification/check-specification";
import { MORE_WISHES, withoutWishesOfReana } from "#workflow/specification/specification";

const SPECS = new URL("../../../../fixtures/specs/", import.meta.url);

function fixture(name: string): unknown {
  const text = readFileSync(new URL(name, SPECS), "utf8");
  return name.endsWith(".json") ? parseJson(text) : parseYaml(text, { maxBytes: 100_000, what: name });
}

function serial(workflow: object, others: object = { inputs: {} }): object {
  return { ...others, workflow: { type: "serial", ...workflow } };
}

function steps(list: unknown): object {
  return serial({ specification: { steps: list } });
}

const refusalIn = (document: unknown) => refusalOf(() => checkSpecification(document));

describe("no workflow can be made of", () => {
  const KNOWN = `[${LANGUAGES.map((language) => `'${language}'`).join(", ")}]`;
  const hello = { commands: ["echo"], environment: "debian" };
  test.each([
    ["no object", [], ": [] is not of type 'object'"],
    ["nothing", null, ": None is not of type 'object'"],
    ["no workflow", {}, ": 'workflow' is a required property"],
    ["a workflow that is a list", { workflow: [1] }, " at workflow: [1] is not of type 'object'"],
    ["no type", { workflow: { file: "a" } }, " at workflow: 'type' is a required property"],
    [
      "an unknown type",
      { workflow: { type: "nextflow", file: "a" } },
      ` at workflow.type: 'nextflow' is not one of ${KNOWN}`,
    ],
    [
      "a type that is no word",
      { workflow: { type: { a: [null, true] } } },
      ` at workflow.type: {'a': [None, True]} is not one of ${KNOWN}`,
    ],
    [
      "neither file nor specification",
      { workflow: { type: "cwl" } },
      " at workflow: 'file' is a required property",
    ],
    [
      "a file that is no text",
      { workflow: { type: "cwl", file: 3 } },
      " at workflow.file: 3 is not of type 'string'",
    ],
    [
      "a specification that is no object",
      { workflow: { type: "cwl", specification: "a" } },
      " at workflow.specification: 'a' is not of type 'object'",
    ],
    ["a serial workflow of nothing", serial({}), " at workflow: 'specification' is a required property"],
    ["no steps", serial({ spec: {} }), " at workflow.specification: 'steps' is a required property"],
    ["steps that are text", steps("abc"), " at workflow.specification.steps: 'abc' is not of type 'array'"],
    [
      "a step that is text",
      steps([hello, "a"]),
      " at workflow.specification.steps.1: 'a' is not of type 'object'",
    ],
    [
      "a step of nothing",
      steps([{}]),
      " at workflow.specification.steps.0: 'commands' is a required property",
    ],
    [
      "commands that are text",
      steps([{ commands: "echo" }]),
      " at workflow.specification.steps.0.commands: 'echo' is not of type 'array'",
    ],
    [
      "no commands",
      steps([{ commands: [] }]),
      " at workflow.specification.steps.0.commands: [] is too short",
    ],
    [
      "a command that is a number",
      steps([hello, { commands: ["echo", 3] }]),
      " at workflow.specification.steps.1.commands.1: 3 is not of type 'string'",
    ],
  ])("%s", (_, document, expected) => {
    expect(refusalIn(document)).toBe(`The specification is malformed${expected}`);
  });
});

describe("an input path that may leave the workspace is refused", () => {
  test.each([
    ["/etc/passwd", "Input path cannot be absolute: /etc/passwd"],
    ["", "Input path cannot be empty"],
    ["../a", "Input path cannot contain '..': ../a"],
    ["a/../../b", "Input path cannot contain '..': a/../../b"],
    ["a\0b", "Input path cannot contain a NUL character"],
  ])("%j", (path, reason) => {
    const workflow = { type: "cwl", file: "a.cwl" };
    expect(refusalIn({ workflow, inputs: { files: ["a", path] } })).toBe(
      `The specification is malformed at inputs.files.1: ${reason}`,
    );
    expect(refusalIn({ workflow, inputs: { files: 3, directories: [path] } })).toBe(
      `The specification is malformed at inputs.directories.0: ${reason}`,
    );
  });

  test("even if a single text is given instead of a list", () => {
    const workflow = { type: "cwl", file: "a.cwl" };
    expect(refusalIn({ workflow, inputs: { directories: "../a" } })).toBe(
      "The specification is malformed at inputs.directories: Input path cannot contain '..': ../a",
    );
  });
});

describe("our own examples", () => {
  test.each(["hello-serial.yaml", "hello-cwl.json", "only-a-file.yaml"])("%s passes unchanged", (name) => {
    expect(checkSpecification(fixture(name))).toEqual({ specification: fixture(name), warnings: [] });
  });

  test("the other name of the specification is taken, and the document that came in is left alone", () => {
    const document = serial({ spec: { steps: [] } });
    const before = structuredClone(document);
    const { specification } = checkSpecification(document);
    expect(specification.workflow).toEqual({ type: "serial", specification: { steps: [] } });
    expect(document).toEqual(before);
  });

  test("retries are a field of ours: no warning, except for values that make no sense", () => {
    const step = { name: "a", environment: "any", commands: ["true"] };
    const right = { ...step, retries: 2, retry_delay: 0.5, retry_on: ["exited", "lost"] };
    const wrong = { ...step, retries: 0.5, retry_delay: "1", retry_on: "lost" };
    expect(checkSpecification(serial({ specification: { steps: [right] } })).warnings).toEqual([]);
    const { warnings } = checkSpecification(serial({ specification: { steps: [wrong] } }));
    expect(warnings.map(({ path, message }) => `${path.split(".").at(-1)}: ${message}`)).toEqual([
      "retries: 0.5 is not of type 'integer'",
      "retry_delay: '1' is not of type 'number'",
      "retry_on: 'lost' is not of type 'array'",
    ]);
  });

  test("a wish that cannot be met gets a single warning, without a warning of an ignored key", () => {
    const step = { environment: "x", commands: ["true"], privileged: true, kubernetes_gpu: 1, colour: "red" };
    const workflow = { type: "serial", resources: { gpu: 1 }, specification: { steps: [step] } };
    const backends = [{ computeBackends: ["local"], provides: () => [], maxGpus: () => 0 }];
    const { warnings } = checkSpecification({ inputs: {}, workflow }, { backends });
    expect(warnings.map(({ code, path }) => `${code} ${path}`)).toEqual([
      "additional_properties workflow.specification.steps.0",
      "demand workflow.resources.gpu",
      "demand workflow.specification.steps.0.privileged",
      "demand workflow.specification.steps.0.kubernetes_gpu",
    ]);
  });

  test("many-warnings.yaml passes with all of them", () => {
    const { specification, warnings } = checkSpecification(fixture("many-warnings.yaml"), {
      backends: [{ computeBackends: ["kubernetes", "local"], provides: () => [] }],
    });
    expect(specification).toEqual(fixture("many-warnings.yaml"));
    expect(warnings.map(({ code, path, message }) => `${code} | ${path} | ${message}`))
      .toMatchInlineSnapshot(`
      [
        "schema | version | 0.9 is not of type 'string'",
        "additional_properties |  | Unexpected property 'colour': it has no meaning here and is ignored.",
        "schema | inputs.files.3 | 3 is not of type 'string'",
        "schema | inputs.directories | 'data' is not of type 'array'",
        "schema | workflow.resources.cvmfs | ['a.example', 'a.example'] has non-unique elements",
        "additional_properties | workflow.resources | Unexpected property 'moon': it has no meaning here and is ignored.",
        "schema | workflow.specification.steps.0 | 'environment' is a required property",
        "schema | workflow.specification.steps.0.kubernetes_job_timeout | '10' is not of type 'integer'",
        "schema | workflow.specification.steps.0.kubernetes_memory_limit | 'bogus' does not match '^([0-9]+|[0-9]+(\\\\.[0-9]+)?[EPTGMK]i?)$'",
        "additional_properties | workflow.specification.steps.0 | Unexpected property 'image': it has no meaning here and is ignored.",
        "schema | workspace.retention_days.*.tmp | -1 is less than the minimum of 0",
        "input_path | inputs.files.2 | Input path declared multiple times: data",
        "input_path | inputs.directories | Input path declared multiple times: data",
        "input_path | inputs.files.1 | Duplicate input paths 'data' and 'data/a.txt' found. Please deduplicate inputs first.",
        "operational_options | inputs.options.report | Operational option "report" not supported for serial workflows.",
        "operational_options | inputs.options.SPEED | Operational option "SPEED" not supported.",
        "retention | workspace.retention_days./etc | Retention rule /etc cannot be an absolute path",
        "parameters | inputs.parameters.unused | REANA input parameter "unused" does not seem to be used.",
        "parameters | workflow.specification.steps | Serial parameter "missing" found on steps "fit, 1" is not defined in input parameters.",
        "parameters | workflow.specification.steps.0 | Operation "sudo" found in step "fit" might be dangerous.",
        "compute_backend | workflow.specification.steps.0.compute_backend | Compute backend "abacus" found in step "fit" is not supported. List of supported compute backends: "kubernetes, local"",
      ]
    `);
  });
});

describe("warnings", () => {
  test("a parameter is used with braces and without; after $$ there is none", () => {
    const specification = { steps: [{ environment: "x", commands: ["echo ${a} $b $$c $$ $(d) $1"] }] };
    const inputs = { parameters: { a: 1, b: 2, c: 3 } };
    const { warnings } = checkSpecification(serial({ specification }, { inputs }));
    expect(warnings.map(({ message }) => message)).toEqual([
      'REANA input parameter "c" does not seem to be used.',
    ]);
  });

  test("a missing environment, missing inputs and an unused file are noted", () => {
    const { warnings } = checkSpecification(
      serial({ specification: { steps: [{ commands: ["echo"] }] } }, {}),
    );
    expect(warnings.map((warning) => warning.message)).toEqual([
      "'environment' is a required property",
      'Workflow "inputs" are missing in the REANA specification.',
    ]);
    expect(checkSpecification(serial({ file: "a" })).warnings.map((warning) => warning.message)).toEqual([
      "A serial workflow is read from workflow.specification alone; workflow.file is ignored.",
    ]);
  });

  test("are a hundred at most, of bounded length, and the last warning counts the rest", () => {
    const many = Array.from({ length: 1000 }, () => ({ commands: ["true"], ["k".repeat(10_000)]: 1 }));
    const { warnings } = checkSpecification(steps(many));
    expect(warnings).toHaveLength(100);
    expect(warnings[99]).toEqual({
      code: "report_truncated",
      path: "",
      message: "More than 100 warnings were found; the others are left out.",
    });
    expect(Math.max(...warnings.map((warning) => warning.message.length))).toBeLessThanOrEqual(500);
  });

  test("the wishes of REANA leave room for all other warnings", () => {
    const many = Array.from({ length: 150 }, () => ({ commands: ["true"] }));
    const { warnings } = checkSpecification(steps([...many, { commands: ["true"], typo: 1 }]));
    expect(warnings).toHaveLength(100);
    expect(withoutWishesOfReana(warnings)).toMatchObject([{ code: "additional_properties" }]);
    expect(warnings.at(-1)).toEqual({ code: "report_truncated", path: "", message: MORE_WISHES });
  });

  test("a parameter is used only where it is written as one", () => {
    const command = "echo $a $${b} ${c} ${d:-x} ${ $$e";
    const { warnings } = checkSpecification({
      inputs: { parameters: { a: 1, b: 1, c: 1, d: 1, e: 1 } },
      workflow: { type: "serial", specification: { steps: [{ environment: "e", commands: [command] }] } },
    });
    expect(warnings.map((warning) => warning.path)).toEqual(
      ["b", "d", "e"].map((name) => `inputs.parameters.${name}`),
    );
  });
});

describe("hostile documents", () => {
  test("are refused if JSON cannot represent them, if they are too deep, or if they set a prototype", () => {
    const ring: Record<string, unknown> = { workflow: { type: "cwl", file: "a" } };
    ring.self = ring;
    expect(refusalIn(ring)).toBe("Specification is nested more than 100 levels deep.");
    expect(refusalIn({ workflow: new Map() })).toBe(
      "Specification contains values that cannot be represented as JSON.",
    );
    expect(refusalIn(JSON.parse('{"__proto__": {"workflow": {"type": "cwl", "file": "a"}}}'))).toBe(
      'Specification holds the key "__proto__", which is not allowed.',
    );
    expect(refusalIn(Object.create({ workflow: { type: "cwl", file: "a" } }))).toContain("as JSON");
  });

  test("with enormous paths and names get short answers", () => {
    const deep = "a/".repeat(500_000);
    const workflow = { type: "cwl", file: "a.cwl" };
    expect(refusalIn({ workflow, inputs: { files: [`/${deep}`] } }).length).toBeLessThan(600);
    const { warnings } = checkSpecification({ workflow, inputs: { files: [deep, deep] }, [deep]: 1 });
    expect(warnings.map((warning) => warning.code)).toEqual(["additional_properties"]);
  });

  test("of any kind are refused or kept, and nothing else happens", () => {
    const word = fc.constantFrom(
      "workflow",
      "type",
      "file",
      "spec",
      "specification",
      "steps",
      "commands",
      "inputs",
    );
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom("serial", "cwl", "a", 1, null, true),
        tie("object"),
        tie("list"),
      ),
      object: fc.dictionary(
        fc.oneof(word, fc.constantFrom("files", "options", "x", "resources")),
        tie("value"),
      ),
      list: fc.array(tie("value"), { maxLength: 3 }),
    })).value;
    fc.assert(
      fc.property(fc.oneof(json, fc.jsonValue(), fc.anything()), (document) => {
        try {
          checkSpecification(document);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test("around a real workflow change no warning", () => {
    const step = fc.record({ commands: fc.array(fc.string(), { minLength: 1 }), name: fc.jsonValue() });
    const serials = fc.record({
      type: fc.constant("serial"),
      specification: fc.record({ steps: fc.array(step) }),
      resources: fc.jsonValue(),
    });
    const others = fc.record({
      type: fc.constantFrom("cwl", "yadage", "snakemake"),
      file: fc.constant("main.txt"),
    });
    const inputs = fc.oneof(fc.jsonValue(), fc.record({ files: fc.array(fc.constantFrom("a", "b/c", 1)) }));
    const document = fc.record({ workflow: fc.oneof(serials, others), inputs, outputs: fc.jsonValue() });
    fc.assert(
      fc.property(document, (given) => {
        fc.pre(!JSON.stringify(given).includes("__proto__"));
        fc.pre(!JSON.stringify(given.inputs).includes('"files":[""'));
        const { specification, warnings } = checkSpecification(given);
        expect(specification).toBe(given);
        expect(warnings.length).toBeLessThanOrEqual(100);
      }),
    );
  });
});

import { describe, expect, test } from "vitest";
import { checkSpecification } from "#workflow/specification/check-specification";

/**
 * Specifications as REANA's stable client sends them: parsed by the client, and only inspected by the server.
 */
const messages = (document: object, options = {}) =>
  checkSpecification(document, options).warnings.map(({ path, message }) => `${path} | ${message}`);

test("yadage: parameters that are not given, not used, and a nested workflow", () => {
  const stage = (name: string, keys: readonly string[], script: string, more: object = {}) => ({
    name,
    dependencies: { expressions: ["init"] },
    scheduler: {
      parameters: keys.map((key) => ({ key, value: 1 })),
      step: {
        process: { process_type: "interpolated-script-cmd", script },
        publisher: { publisher_type: "frompar-pub", ...more },
      },
    },
  });
  const stages = [
    stage("gen", ["n", "out"], "sudo gen {n} {seed}", { outputkey: "out" }),
    stage("fit", ["n", "idle"], "fit {n} {seed}"),
    { name: "sub", scheduler: { workflow: { stages: [stage("inner", [], "cd / && x {deep}")] } } },
    "no stage",
  ];
  const inputs = { parameters: { n: 1, unused: 2 } };
  expect(
    messages({ inputs, workflow: { type: "yadage", file: "w.yaml", specification: { stages } } }),
  ).toEqual([
    'inputs.parameters.unused | REANA input parameter "unused" does not seem to be used.',
    'workflow.specification.stages.0 | Operation "sudo" found in step "gen" might be dangerous.',
    'workflow.specification.stages.2 | Operation "cd /" found in step "inner" might be dangerous.',
    'workflow.specification | Yadage parameter "seed" found on steps "gen, fit" is not defined in input parameters.',
    'workflow.specification | Yadage parameter "deep" found on step "inner" is not defined in input parameters.',
    'workflow.specification | Yadage input parameter "idle" found on step "fit" does not seem to be used.',
  ]);
});

test("snakemake: named inputs count as used, and formats after a name are ignored", () => {
  const steps = [
    {
      name: "fit",
      inputs: { data: "a" },
      params: { n: 1, idle: 2 },
      outputs: { plot: "p" },
      commands: ["fit {params.n:q} {output.plot[0]} {params.none!r} {input}"],
    },
    { commands: ["{wildcards.x} {input.other}"] },
  ];
  const workflow = { type: "snakemake", file: "Snakefile", specification: { steps } };
  expect(messages({ inputs: { parameters: { never: 1 } }, workflow })).toEqual([
    'workflow.specification | Snakemake parameter "params.none" found on step "fit" is not defined in input parameters.',
    'workflow.specification | Snakemake parameter "input.other" found on step "1" is not defined in input parameters.',
    'workflow.specification | Snakemake input parameter "params.idle" found on step "fit" does not seem to be used.',
  ]);
});

test("cwl: commands of each tool, packed or alone", () => {
  const cwl = (specification: object) =>
    messages({ inputs: {}, workflow: { type: "cwl", file: "a.cwl", specification } });
  expect(cwl({ $graph: [{ id: "#a", baseCommand: ["sudo ls"] }, { arguments: "cd /" }, 3] })).toEqual([
    'workflow.specification | Operation "sudo" found in step "#a" might be dangerous.',
    'workflow.specification | Operation "cd /" might be dangerous.',
  ]);
  expect(cwl({ id: "alone", baseCommand: "cd /tmp" })).toEqual([
    'workflow.specification | Operation "cd /" found in step "alone" might be dangerous.',
  ]);
});

describe("resources for a cluster", () => {
  const workflow = { type: "cwl", file: "a.cwl" };
  test("Dask", () => {
    const dask = (resources: object) => messages({ inputs: {}, workflow: { ...workflow, resources } });
    expect(dask({ dask: { image: "x" } })).toEqual([]);
    expect(dask({ dask: { image: "x", number_of_workers: 30, single_worker_memory: "100Mi" } })).toEqual([
      'workflow.resources.dask | The "number_of_workers" provided in the dask resources exceeds the limit (20).',
    ]);
  });

  test.each([
    ["/var/reana", []],
    ["/var/reana/users", []],
    ["/var/reana-2", ['workspace.root_path | Desired workspace "/var/reana-2" is not valid.']],
    ["/var/reana/../x", ['workspace.root_path | Desired workspace "/var/reana/../x" is not valid.']],
  ])("a workspace at %s", (root, expected) => {
    const options = { workspaceRoots: ["/var/reana"] };
    expect(messages({ inputs: {}, workflow, workspace: { root_path: root } }, options)).toEqual(expected);
    expect(messages({ inputs: {}, workflow, workspace: { root_path: root } })).toEqual([]);
  });
});

test("values of any shape are kept unchanged", () => {
  for (const specification of [{ stages: 3 }, { steps: [1, { commands: 3 }] }, { $graph: {} }]) {
    for (const type of ["yadage", "snakemake", "cwl"]) {
      const document = { inputs: {}, workflow: { type, file: "a", specification } };
      expect(checkSpecification(document)).toEqual({ specification: document, warnings: [] });
    }
  }
});

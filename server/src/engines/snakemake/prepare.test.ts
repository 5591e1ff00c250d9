import { expect, test } from "vitest";
import { SOME_RUN } from "#engines/contract-suite";
import { evaluatesNothing, type RunRequest } from "#engines/engine";
import { prepareSnakemake } from "#engines/snakemake/prepare";
import { createSnakemakeEngine } from "#engines/snakemake/snakemake-engine";

test("a key that comes twice in the configuration is named in validation and at the start", () => {
  const request: RunRequest = {
    specification: {
      workflow: { type: "snakemake", file: "Snakefile" },
      inputs: { parameters: { input: "c.yml" } },
    },
    parameters: {},
    options: {},
  };
  const made = prepareSnakemake(request, { Snakefile: "", "c.yml": "n: 1\nn: 2\n" });
  const warning = 'c.yml, line 2, column 1: The key "n" is given twice: the last one counts.';
  const model = { config: { n: 2 }, warnings: [warning] };
  expect(made).toEqual({ kind: "ready", model });
  const engine = createSnakemakeEngine({ program: "snakemake", plugin: {}, maxThreads: 1 });
  const { instructions } = engine.load({ ...request, model, run: SOME_RUN }, evaluatesNothing).start();
  expect(instructions[0]).toMatchObject({ do: "log", level: "ERROR", line: `Warning: ${warning}` });
});

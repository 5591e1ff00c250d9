import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SOME_RUN } from "#engines/contract-suite";
import type { RunRequest } from "#engines/engine";
import { prepareYadage } from "#engines/yadage/load/prepare";
import { parseYaml } from "#plumbing/formats/yaml";
import { jqEvaluator } from "#plumbing/jq/jq";
import { playRun, summaryOf } from "../support/engines/yadage-runs.ts";

/**
 * Compares the engine with recorded results of yadage for the same workflows (conformance/yadage/record.py).
 */
const FIXTURES = new URL("../../../fixtures/yadage/", import.meta.url);

interface Fixture {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly documents?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly workflow: unknown;
}

const evaluate = jqEvaluator();
let root: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(path.join(os.tmpdir(), "reprise-yadage-")));
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe("a run has the nodes, edges, parameters, results and files that yadage makes", () => {
  test.each(["map-reduce", "nested", "publishers", "texts"])("%s", async (name) => {
    const fixture = parseYaml(await textOf(`${name}.yml`), { maxBytes: 1e6, what: name }) as Fixture;
    const work = path.join(root, name);
    await mkdir(path.join(work, "init"), { recursive: true });
    for (const [file, text] of Object.entries(fixture.files ?? {}))
      await writeFile(path.join(work, "init", file), text);
    const request = requestOf(fixture);
    const played = await playRun(
      { ...request, model: modelOf(request, fixture), run: { ...SOME_RUN, workspaceFolder: work } },
      evaluate,
    );
    expect(played.ending).toMatchObject({ do: "finish" });
    const entries = await readdir(work, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(work, path.join(entry.parentPath, entry.name)))
      .filter(isOfStep)
      .sort();
    expect({ nodes: summaryOf(played.state, "WORK"), files }).toEqual(
      JSON.parse(await textOf(`${name}.json`)),
    );
  });
});

function textOf(file: string): Promise<string> {
  return readFile(new URL(file, FIXTURES), "utf8");
}

function requestOf({ parameters }: Fixture): RunRequest {
  const inputs = { parameters, options: { initdir: "init" } };
  return {
    specification: { workflow: { type: "yadage", file: "workflow.yml" }, inputs },
    parameters: {},
    options: {},
  };
}

/** JSON is YAML, so the documents need not be written as YAML. */
function modelOf(request: RunRequest, { workflow, documents = {} }: Fixture): unknown {
  const texts = Object.entries({ ...documents, "workflow.yml": workflow }).map(([name, value]) => [
    name,
    JSON.stringify(value),
  ]);
  const made = prepareYadage(request, Object.fromEntries(texts) as Record<string, string>);
  if (made.kind !== "ready") throw new Error(JSON.stringify(made));
  return made.model;
}

function isOfStep(file: string): boolean {
  return !/^(?:init|_yadage)(?:\/|$)/.test(file) && !file.includes("_packtivity/");
}

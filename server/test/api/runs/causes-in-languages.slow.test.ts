import { spawnSync } from "node:child_process";
import { afterAll, expect, test } from "vitest";
import { ENGINES } from "#app/supported";
import { describeUnless } from "#plumbing/needs-suite";
import { maybeRun } from "#store/runs/runs";
import { isLive } from "#workflow/run/run-status";
import { apiFixture } from "../../support/api-fixture.ts";
import { runInShell } from "../../support/engines/shell-jobs.ts";
import { changeStatus, createRun, T } from "../../support/run-rows.ts";

/**
 * Small steps with planted causes, and innocent ones, in languages whose jobs have folders of their own. Each is verified
 * with real programs, up to the verdict about its cause. The step stands between two others, which are never at fault.
 */
const api = await apiFixture({ parts: { engines: ENGINES } });
runInShell(api.backend);
const ada = await api.makeUser();
afterAll(() => api.close());

interface Reply {
  state: string;
  step: string | null;
  outputs: { name: string; verdict: string; rule: string | null }[];
  first_difference: { steps: string[]; files: string[] } | null;
  cause: {
    state: string;
    condition: string | null;
    sentence: string;
    repetitions: { varied: string[] }[];
  } | null;
}

type Files = Readonly<Record<string, string>>;

/** Returns a workflow of three tools, the second of which runs the command: its input is `in.txt`, its output `out`. */
function cwl(command: string, output: string): { readonly specification: object; readonly files: Files } {
  const tool = (script: string, made: string) => ({
    class: "CommandLineTool",
    requirements: {
      InitialWorkDirRequirement: { listing: [{ entryname: "in.txt", entry: "$(inputs.given)" }] },
      EnvVarRequirement: { envDef: { LEVEL: "7" } },
    },
    baseCommand: ["bash", "-c", script],
    inputs: { given: "File" },
    outputs: { made: { type: "File", outputBinding: { glob: made } } },
  });
  const step = (run: object, source: string) => ({ run, in: { given: source }, out: ["made"] });
  const main = {
    cwlVersion: "v1.2",
    class: "Workflow",
    inputs: { data: "File" },
    outputs: {
      result: { type: "File", outputSource: "suspect/made" },
      last: { type: "File", outputSource: "after/made" },
    },
    steps: {
      before: step(tool("cat in.txt > before.txt", "before.txt"), "data"),
      suspect: step(tool(command, output), "before/made"),
      after: step(tool("wc -c < in.txt > after.txt", "after.txt"), "before/made"),
    },
  };
  return {
    specification: {
      inputs: { parameters: { data: { class: "File", path: "data.txt" } } },
      workflow: { type: "cwl", file: "main.cwl" },
      outputs: { files: [`outputs/${output}`, "outputs/after.txt"] },
    },
    files: { "main.cwl": JSON.stringify(main), "data.txt": "one\ntwo\n" },
  };
}

function yadage(command: string, output: string): { readonly specification: object; readonly files: Files } {
  const stage = (name: string, given: object, dependencies: string[], cmd: string, made: string) => ({
    name,
    dependencies,
    scheduler: {
      scheduler_type: "singlestep-stage",
      parameters: { given, made: `{workdir}/${made}` },
      step: {
        process: {
          process_type: "interpolated-script-cmd",
          interpreter: "bash",
          script: `cp {given} in.txt\n${cmd.replaceAll("{", "{{").replaceAll("}", "}}")}`,
        },
        environment: { environment_type: "docker-encapsulated", image: "any", env: { LEVEL: "7" } },
        publisher: { publisher_type: "frompar-pub", outputmap: { made: "made" } },
      },
    },
  });
  const before = { step: "before", output: "made" };
  const main = {
    stages: [
      stage("before", { step: "init", output: "data" }, ["init"], "cat in.txt > before.txt", "before.txt"),
      stage("suspect", before, ["before"], command, output),
      stage("after", before, ["before"], "wc -c < in.txt > after.txt", "after.txt"),
    ],
  };
  return {
    specification: {
      inputs: { files: ["data.txt"], parameters: { data: "data.txt" } },
      workflow: { type: "yadage", file: "main.yml" },
      outputs: { files: [`suspect/${output}`, "after/after.txt"] },
    },
    files: { "main.yml": JSON.stringify(main), "data.txt": "one\ntwo\n" },
  };
}

const LANGUAGES = { cwl, yadage };

async function untilOver(id: string) {
  const runOf = async () => (await maybeRun(api.operations.db, id))!;
  while (isLive((await runOf()).status)) await new Promise((resolve) => setTimeout(resolve, 25));
  const { status, failure } = await runOf();
  expect(status, failure ?? "").toBe("finished");
}

async function post(place: string, payload: object = {}): Promise<{ workflow_id: string }> {
  const reply = await api.inject({ method: "POST", url: `/api/workflows/${place}?${T(ada)}`, payload });
  expect([reply.statusCode, reply.body]).toEqual([201, expect.any(String)]);
  return reply.json();
}

let runs = 0;

/** Runs the step, verifies the run or the step, and repeats the step until there is a verdict. */
async function explained(
  language: keyof typeof LANGUAGES,
  command: string,
  { output = "out.txt", ...asked }: { readonly output?: string; readonly step?: string } = {},
): Promise<Reply> {
  const { specification, files } = LANGUAGES[language](command, output);
  const { id } = await createRun(api, ada, `v${(runs += 1)}`, specification);
  for (const [name, payload] of Object.entries(files)) {
    const url = `/api/workflows/${id}/workspace?file_name=${name}&${T(ada)}`;
    expect((await api.inject({ method: "POST", url, payload })).statusCode).toBe(200);
  }
  await changeStatus(api, ada, id, "start");
  await untilOver(id);
  // The second after the run has another date.
  if (command.includes("date")) await new Promise((resolve) => setTimeout(resolve, 1100));
  const { repetition } = (await post(`${id}/verify`, asked)) as unknown as {
    repetition: { workflow_id: string };
  };
  await untilOver(repetition.workflow_id);
  for (;;) {
    const reply = (await api.inject(`/api/workflows/${id}/verification?${T(ada)}`)).json<Reply>();
    if (reply.cause?.state !== "open") return reply;
    await untilOver((await post(`${id}/verification/repetitions`)).workflow_id);
  }
}

const python = (code: string) => `python3 -c '${code}' > out.txt`;

const MISSING = ["faketime", "python3", "setarch"].find(
  (program) => spawnSync(program, ["--version"]).error !== undefined,
);

/** Steps with the cause that a verification must name. */
const PLANTED: readonly (readonly [what: string, condition: string, command: string])[] = [
  ["a date", "clock", "(cat in.txt; date) > out.txt"],
  ["the order of a set", "hash-seed", python('print({open("in.txt").read() + str(n) for n in range(50)})')],
  ["a generator without a seed", "random", python("import random; print(random.random())")],
  ["the address of an object", "addresses", python("print(id(object))")],
];

/** Steps without a cause that an experiment can show. */
const UNKNOWN: readonly (readonly [what: string, command: string])[] = [
  ["random numbers of the shell", "head -c 8 /dev/urandom | cksum > out.txt"],
];

const INNOCENT: readonly (readonly [what: string, output: string, rule: string | null, command: string])[] = [
  ["a copy with a variable", "out.txt", null, "(cat in.txt; echo $LEVEL) > out.txt"],
  [
    "the order of keys",
    "out.json",
    "json-values",
    `python3 -c 'import json; print(json.dumps({k: 1 for k in {"a" + str(n) for n in range(50)}}))' > out.json`,
  ],
];

describeUnless(MISSING && `${MISSING} is not installed`)("a verification", { concurrent: true }, () => {
  for (const language of Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[]) {
    test.each(PLANTED)(`names the cause in ${language} of %s: %s`, async (_what, condition, command) => {
      const { state, first_difference: first, cause } = await explained(language, command);
      expect([state, first?.steps.map(stepOf), cause?.state, cause?.condition, cause?.sentence]).toEqual([
        "different",
        ["suspect"],
        "found",
        condition,
        expect.any(String),
      ]);
      expect(cause!.repetitions.length).toBeLessThanOrEqual(8);
    });

    test(`verifies a step alone in ${language}, and names the cause`, async () => {
      const reply = await explained(language, "(cat in.txt; pwd) > out.txt", { step: "suspect" });
      const { state, step, outputs, cause } = reply;
      expect([state, step, cause?.state, cause?.condition, cause?.sentence]).toEqual([
        "different",
        "suspect",
        "found",
        "path",
        expect.any(String),
      ]);
      // Yadage knows of more files in the folder of the job.
      const unequal = outputs.filter(({ verdict }) => verdict !== "identical");
      expect(unequal).toEqual([
        expect.objectContaining({ name: expect.stringMatching(/suspect.*out\.txt$/), verdict: "different" }),
      ]);
    });

    test.each(UNKNOWN)(`names no cause in ${language} for %s`, async (_what, command) => {
      const { state, first_difference: first, cause } = await explained(language, command);
      expect([state, first?.steps.map(stepOf), cause?.state, cause?.condition]).toEqual([
        "different",
        ["suspect"],
        "unknown",
        null,
      ]);
      expect(cause?.sentence).toContain("though everything is held");
    });

    test.each(INNOCENT)(`finds no fault in ${language} in %s`, async (_what, output, rule, command) => {
      const { state, outputs, cause } = await explained(language, command, { output });
      expect([state, cause]).toEqual([rule === null ? "identical" : "equivalent", null]);
      expect(outputs.flatMap((one) => one.rule ?? [])).toEqual(rule === null ? [] : [rule]);
    });
  }
});

const stepOf = (label: string) => label.split(" ")[0];

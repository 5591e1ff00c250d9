import { expect, test } from "vitest";
import { prepareYadage } from "#engines/yadage/load/prepare";
import type { RunRequest } from "#engines/engine";

const STEP = {
  process: { process_type: "interpolated-script-cmd", script: "true", interpreter: "bash" },
  environment: {
    environment_type: "docker-encapsulated",
    image: "debian",
    imagetag: "12",
    resources: [],
    env: {},
  },
  publisher: { publisher_type: "interpolated-pub", publish: { out: "*" }, glob: true, relative_paths: false },
};
const WORKFLOW = {
  stages: [
    {
      name: "fit",
      dependencies: { dependency_type: "jsonpath_ready", expressions: ["init"] },
      scheduler: {
        scheduler_type: "multistep-stage",
        parameters: [{ key: "n", value: { step: "init", output: "n" } }],
        scatter: { method: "zip", parameters: ["n"] },
        batchsize: 2,
        register_values: {},
        workflow_opts: {},
        step: STEP,
      },
    },
    {
      name: "choice",
      dependencies: ["fit"],
      scheduler: {
        scheduler_type: "singlestep-stage",
        parameters: { n: 1 },
        cases: [{ if: "true", step: STEP }],
      },
    },
    { name: "jq", scheduler: { scheduler_type: "jq-stage", bindings: {}, anything: 1, step: STEP } },
  ],
};

function problemsOf(text: string) {
  const request: RunRequest = {
    specification: { workflow: { type: "yadage", file: "main.yml" }, inputs: { parameters: { n: [1] } } },
    parameters: {},
    options: {},
  };
  const made = prepareYadage(request, { "main.yml": text });
  return made.kind === "refused" ? made.problems : [];
}

/** Returns the text with a part replaced. The part must occur at least once. */
function changed(before: string, after: string): string {
  const text = JSON.stringify(WORKFLOW, null, 1);
  expect(text).toContain(before);
  return text.replace(before, after);
}

test("a workflow with every key is accepted", () => {
  expect(problemsOf(JSON.stringify(WORKFLOW))).toEqual([]);
});

/** yadage's own schemas refuse all of the following. */
test.each([
  [
    '"stages":',
    '"stage_list": 1, "stages":',
    'The workflow has a workflow with the unknown key "stage_list"',
  ],
  [
    '"dependencies": [',
    '"dependancies": [',
    'Stage "choice" has a description with the unknown key "dependancies"; did you mean "dependencies"?',
  ],
  ['"dependency_type"', '"x": 1, "dependency_type"', 'dependencies with the unknown key "x"'],
  ['"batchsize"', '"batch_size"', 'a scheduler with the unknown key "batch_size"; did you mean "batchsize"?'],
  ['"batchsize": 2', '"batchsize": null', '"batchsize" is null; it must be number'],
  ['"register_values": {}', '"register_values": 7', '"register_values" is 7; it must be map'],
  ['"method"', '"by": 1, "method"', 'a scatter with the unknown key "by"'],
  [
    '"key": "n"',
    '"key": "n", "values": 1',
    'a parameter with the unknown key "values"; did you mean "value"?',
  ],
  ['"n": 1', '"n": null', 'a parameter "n" whose "value" is null'],
  ['"if": "true"', '"if": "true", "otherwise": 1', 'a case with the unknown key "otherwise"'],
  ['"publisher": {', '"publish": 1, "publisher": {', 'a step with the unknown key "publish"'],
  ['"process": {', '"process": 7, "was": {', 'a step whose "process" is 7; it must be map or null'],
  ['"environment": {', '"environment": 7, "was": {', 'a step whose "environment" is 7'],
  [
    '"interpreter"',
    '"interpreterx"',
    'a step with a process with the unknown key "interpreterx"; did you mean "interpreter"?',
  ],
  [
    '"imagetag"',
    '"imagetagx"',
    'a step with an environment with the unknown key "imagetagx"; did you mean "imagetag"?',
  ],
  ['"imagetag": "12"', '"imagetag": 12', '"imagetag" is 12; it must be text'],
  ['"resources"', '"resourcesx"', 'the unknown key "resourcesx"; did you mean "resources"?'],
  ['"glob": true', '"glob": "yes"', '"glob" is "yes"; it must be true or false'],
  ['"publish": {', '"publish": null, "was": {', '"publish" is null; it must be anything but null'],
])("%s written as %s is refused", (before, after, sentence) => {
  expect(problemsOf(changed(before, after)).map(({ message }) => message)).toContainEqual(
    expect.stringContaining(sentence),
  );
});

test("the place of a wrong key is its own", () => {
  const text = `stages:
- name: fit
  scheduler:
    scheduler_type: singlestep-stage
    parameters: {}
    step:
      process: {process_type: string-interpolated-cmd, cmd: 'true'}
      environment: {environment_type: localproc-env, imagex: 1}
      publisher: {publisher_type: constant-pub, publish: {}}
`;
  expect(problemsOf(text)).toMatchObject([{ file: "main.yml", line: 8, column: 54 }]);
  const [problem] = problemsOf(text.replace("publish: {}", "").replace(", imagex: 1", ""));
  expect(problem).toMatchObject({ message: 'Stage "fit" has a constant-pub without "publish".', line: 2 });
});

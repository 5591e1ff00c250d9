import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import type { Engine, Evaluate } from "#engines/engine";
import { yadageEngine } from "#engines/yadage/yadage-engine";
import { restartRun } from "#operations/runs/start/restart-run";
import { loadJavaScript } from "#plumbing/javascript/evaluate";
import { jqEvaluator } from "#plumbing/jq/jq";
import { type Run, setStartOptions } from "#store/runs/runs";
import type { Specification } from "#workflow/specification/specification";
import { runStarted } from "../engines/shell-jobs.ts";
import { isOver, type RunFixture, type ServerChange } from "../run-fixture.ts";
import { runnable } from "../server-parts.ts";
import type { Scenario, World } from "./run-scenarios.ts";

/**
 * A greeting for each name, and a file that joins all greetings, in a language with its own engine and with
 * real commands.
 */
interface Story {
  readonly engine: Engine;
  readonly evaluate: Evaluate;
  readonly file: string;
  readonly text: string;
  /** The file with all greetings. */
  readonly joined: string;
  /** The beginning of the sentence of a run whose second greeting failed. */
  readonly failure: string;
  /** True if the remaining greetings still run after a failure. */
  readonly goesOn: boolean;
}

const NAMES = ["ada", "bob", "cy"];

const CWL: Story = {
  engine: createCwlEngine(),
  evaluate: await loadJavaScript(),
  file: "main.cwl",
  joined: "outputs/all.txt",
  failure: 'Step "greet", task 2 (bad) failed: its command exited with code 3.',
  goesOn: false,
  text: `
cwlVersion: v1.2
class: Workflow
requirements: {ScatterFeatureRequirement: {}}
inputs: {names: "string[]"}
outputs: {all: {type: File, outputSource: join/all}}
steps:
  greet:
    scatter: name
    in: {name: names}
    out: [greeting]
    run:
      class: CommandLineTool
      baseCommand: [sh, -c]
      arguments: ['[ "$0" = bad ] && exit 3; echo "hello $0" > greeting.txt']
      inputs: {name: {type: string, inputBinding: {position: 1}}}
      outputs: {greeting: {type: File, outputBinding: {glob: greeting.txt}}}
  join:
    in: {parts: greet/greeting}
    out: [all]
    run:
      class: CommandLineTool
      baseCommand: cat
      inputs: {parts: {type: "File[]", inputBinding: {position: 1}}}
      outputs: {all: {type: stdout}}
      stdout: all.txt
`,
};

const YADAGE: Story = {
  engine: yadageEngine,
  evaluate: jqEvaluator(),
  file: "main.yml",
  joined: "join/all.txt",
  failure: 'Step "greet", task 2 (bad) failed: its command exited with code 3.',
  goesOn: true,
  text: `
stages:
- name: greet
  dependencies: [init]
  scheduler:
    scheduler_type: multistep-stage
    parameters: {name: {step: init, output: names}, made: '{workdir}/greeting.txt'}
    scatter: {method: zip, parameters: [name]}
    step:
      process: {process_type: string-interpolated-cmd, cmd: '[ {name} = bad ] && exit 3; echo "hello {name}" > {made}'}
      environment: {environment_type: localproc-env}
      publisher: {publisher_type: fromglob-pub, globexpression: 'greeting*', outputkey: made}
- name: join
  dependencies: [greet]
  scheduler:
    scheduler_type: singlestep-stage
    parameters: {parts: {stages: greet, output: made, flatten: true}, made: '{workdir}/all.txt'}
    step:
      process: {process_type: string-interpolated-cmd, cmd: 'cat {parts} > {made}'}
      environment: {environment_type: localproc-env}
      publisher: {publisher_type: frompar-pub, outputmap: {made: made}}
`,
};

/** Another server after each job: the last step waits for all parts of the one before, and gets what each has left. */
const gathered =
  (story: Story): Scenario =>
  async ({ backend, fixture }) => {
    const id = await queue(fixture, story, NAMES);
    for (let index = 0; index <= NAMES.length; index += 1) {
      const server = fixture.server(serverOf(story));
      await server.start();
      const job = await backend.startedJob(index);
      await server.close({ stopJobs: false });
      await runStarted(backend, job);
    }
    await fixture.server(serverOf(story)).start();
    const run = await fixture.until(id, isOver);
    assert.deepEqual([run.status, run.failure, backend.started.length], ["finished", null, NAMES.length + 1]);
    assert.equal(await joinedBy(fixture, run, story), greetings(NAMES));
  };

/** A failing part: the last step does not run, and the run names the failed part. */
const failed =
  (story: Story): Scenario =>
  async ({ backend, fixture }) => {
    const id = await queue(fixture, story, ["ada", "bad", "cy"]);
    await fixture.server(serverOf(story)).start();
    await backend.startedJob(2);
    // Jobs start in the order of their staging.
    const isBad = (job: string) =>
      /hello bad|greeting.txt bad$/.test(backend.scripts[backend.started.indexOf(job)]!);
    const jobs = story.goesOn ? backend.started : backend.started.filter(isBad);
    for (const job of jobs.toSorted((one) => (isBad(one) ? -1 : 1))) await runStarted(backend, job);
    const run = await fixture.until(id, isOver);
    assert.deepEqual([run.status, run.failure, run.jobsFailed], ["failed", story.failure, 1]);
    assert.deepEqual([run.jobsFinished, run.jobsRunning], [story.goesOn ? 2 : 0, 0]);
  };

/** A restart with a different name: unchanged jobs are reused, and only unchanged jobs. */
const restarted =
  (story: Story): Scenario =>
  async (world) => {
    const { backend, fixture } = world;
    const id = await queue(fixture, story, NAMES);
    const server = fixture.server(serverOf(story));
    await server.start();
    await runTo(world, id, NAMES.length + 1);
    const names = ["ada", "dee", "cy"];
    const caller = { id: (await fixture.run(id)).ownerId, email: "a@b.c", isAdmin: false };
    const none = { options: {}, document: undefined, fresh: false, fromStep: null };
    const again = await restartRun(server.operations, caller, {
      ...none,
      address: id,
      parameters: { names },
    });
    const run = await runTo(world, again.id, NAMES.length + 3);
    assert.equal(backend.started.length, NAMES.length + 3);
    assert.equal(await joinedBy(fixture, run, story), greetings(names));
  };

/** Runs jobs until that many have begun in all, and waits for the end of the run. */
async function runTo({ backend, fixture }: World, id: string, begun: number): Promise<Run> {
  const first = backend.started.filter((job) => backend.stateOf(job)?.status === "ended").length;
  for (let index = first; index < begun; index += 1)
    await runStarted(backend, await backend.startedJob(index));
  const run = await fixture.until(id, isOver);
  assert.deepEqual([run.status, run.failure], ["finished", null]);
  return run;
}

async function queue(fixture: RunFixture, story: Story, names: readonly string[]): Promise<string> {
  const { engine, file, text } = story;
  const specification: Specification = {
    workflow: { type: engine.language, file },
    inputs: { parameters: { names } },
  };
  const made = engine.prepare!({ specification, parameters: {}, options: {} }, { [file]: text });
  assert.ok(made.kind === "ready", JSON.stringify(made));
  const id = await fixture.queueSpecification(specification, { [file]: text });
  await setStartOptions(fixture.db, id, {}, {}, { model: made.model });
  return id;
}

function serverOf({ engine, evaluate }: Story): ServerChange {
  return { engines: [runnable(engine, evaluate)], snapshotEveryEvents: 2 };
}

async function joinedBy(
  { workspaces }: RunFixture,
  { workspaceId }: Run,
  { joined }: Story,
): Promise<string> {
  return readFile(path.join(workspaces.of(workspaceId).folder, joined), "utf8");
}

function greetings(names: readonly string[]): string {
  return names.map((name) => `hello ${name}\n`).join("");
}

export const LANGUAGE_SCENARIOS: Readonly<Record<string, Scenario>> = {
  "a step of CWL waits for all tasks of a scatter, on every server": gathered(CWL),
  "a stage of Yadage waits for all nodes of another, on every server": gathered(YADAGE),
  "a task of CWL that fails ends its run, by name": failed(CWL),
  "a node of Yadage that fails fails its run at the end, by name": failed(YADAGE),
  "a restart in CWL runs what has changed": restarted(CWL),
  "a restart in Yadage runs what has changed": restarted(YADAGE),
};

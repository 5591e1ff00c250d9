import type { CrashWorld } from "../crash-world.ts";
import type { WitnessedRun } from "../witness.ts";

/**
 * A workflow in another language than serial: two greetings, and a file with both. In CWL each greeting is a
 * workflow with a step that never runs.
 */
export interface LanguageStory {
  readonly language: "cwl" | "yadage" | "snakemake";
  readonly file: string;
  /** Returns the text of `file`. Each command begins with `job`, which writes a line. */
  document(job: string): string;
  /** Returns the parameters of a run that greets the names. */
  parametersFor(names: readonly string[]): object;
  /** The file with both greetings. */
  readonly joined: string;
}

const NAMES = ["ada", "bob"];
const OTHER_NAMES = ["ada", "cy"];

export const CWL: LanguageStory = {
  language: "cwl",
  file: "main.cwl",
  parametersFor: (names) => ({ names: names.map((name) => ({ class: "File", path: fileOf(name) })) }),
  joined: "outputs/all.txt",
  document: (job) => `
cwlVersion: v1.2
class: Workflow
requirements:
  ScatterFeatureRequirement: {}
  SubworkflowFeatureRequirement: {}
  MultipleInputFeatureRequirement: {}
inputs: {names: "File[]"}
outputs: {all: {type: File, outputSource: join/all}}
steps:
  greet:
    scatter: name
    in: {name: names}
    out: [greeting]
    run:
      class: Workflow
      inputs: {name: File}
      outputs: {greeting: {type: File, outputSource: [shorten/greeting, write/greeting], pickValue: first_non_null}}
      steps:
        write:
          in: {name: name}
          out: [greeting]
          run:
            class: CommandLineTool
            requirements: {InitialWorkDirRequirement: {listing: [{entryname: word.txt, entry: "hello "}]}}
            baseCommand: [bash, -c]
            arguments: ['${job} && cat word.txt "$0" > greeting.txt']
            inputs: {name: {type: File, inputBinding: {position: 1}}}
            outputs: {greeting: {type: File, outputBinding: {glob: greeting.txt}}}
        shorten:
          when: $(inputs.isLong)
          in: {isLong: {default: false}, long: write/greeting}
          out: [greeting]
          run:
            class: CommandLineTool
            baseCommand: [bash, -c, "${job}"]
            inputs: {long: File}
            outputs: {greeting: {type: stdout}}
  join:
    in: {parts: greet/greeting}
    out: [all]
    run:
      class: CommandLineTool
      baseCommand: [bash, -c]
      arguments: ['${job} && cat "$@" > all.txt', join]
      inputs: {parts: {type: "File[]", inputBinding: {position: 1}}}
      outputs: {all: {type: File, outputBinding: {glob: all.txt}}}
`,
};

export const YADAGE: LanguageStory = {
  language: "yadage",
  file: "main.yml",
  parametersFor: (names) => ({ names: names.map(fileOf) }),
  joined: "join/all.txt",
  document: (job) => `
stages:
- name: greet
  dependencies: [init]
  scheduler:
    scheduler_type: multistep-stage
    parameters: {name: {step: init, output: names}, made: '{workdir}/greeting.txt'}
    scatter: {method: zip, parameters: [name]}
    step:
      process: {process_type: string-interpolated-cmd, cmd: '${job} && echo "hello $(cat {name})" > {made}'}
      environment: {environment_type: localproc-env}
      publisher: {publisher_type: frompar-pub, outputmap: {made: made}}
- name: join
  dependencies: [greet]
  scheduler:
    scheduler_type: singlestep-stage
    parameters: {parts: {stages: greet, output: made}, made: '{workdir}/all.txt'}
    step:
      process: {process_type: string-interpolated-cmd, cmd: '${job} && cat {parts} > {made}'}
      environment: {environment_type: localproc-env}
      publisher: {publisher_type: fromglob-pub, globexpression: 'all*', outputkey: made}
`,
};

export const SNAKEMAKE: LanguageStory = {
  language: "snakemake",
  file: "Snakefile",
  parametersFor: (names) => ({ names }),
  joined: "results/all.txt",
  document: (job) => `
rule all:
    input: "results/all.txt"
rule greet:
    input: "data/{name}.txt"
    output: "results/{name}.txt"
    shell: "${job} && echo hello $(cat {input}) > {output}"
rule join:
    input: expand("results/{name}.txt", name=config["names"])
    output: "results/all.txt"
    shell: "${job} && cat {input} > {output}"
`,
};

/** Runs a workflow to its end, and restarts it with another name in the list. */
export async function runAndRestart(
  { witness, job }: CrashWorld,
  { language, file, document, parametersFor, joined }: LanguageStory,
): Promise<void> {
  const inputs = { parameters: parametersFor(NAMES) };
  const run = await witness.createRun(language, { workflow: { type: language, file }, inputs });
  const leave = (one: WitnessedRun, commands: number, names: readonly string[]) => {
    one.leaves = { commands, files: { [joined]: names.map((name) => `hello ${name}\n`).join("") } };
  };
  leave(run, 3, NAMES);
  await witness.upload(run, file, document(job()));
  for (const name of new Set([...NAMES, ...OTHER_NAMES]))
    await witness.upload(run, fileOf(name), `${name}\n`);
  await witness.start(run);
  await witness.until(run, "finished");
  await witness.logs(run);
  // The restart may change the file even if its answer is lost.
  run.leaves = { commands: 3, files: {} };
  const again = await witness.restart(run, "finished", { input_parameters: parametersFor(OTHER_NAMES) });
  leave(again, 2, OTHER_NAMES);
  await witness.until(again, "finished");
  await witness.logs(again);
}

/** Runs a CWL workflow that keeps its outputs only: the greetings are removed while the run continues. */
export async function runWithoutGreetings({ witness, job }: CrashWorld): Promise<void> {
  const { language, file, document, parametersFor, joined } = CWL;
  const run = await witness.createRun("keeping-cwl", {
    workflow: { type: language, file },
    inputs: { parameters: parametersFor(NAMES) },
    workspace: { keep: "outputs" },
  });
  run.leaves = { commands: 3, files: { [joined]: NAMES.map((name) => `hello ${name}\n`).join("") } };
  await witness.upload(run, file, document(job()));
  for (const name of NAMES) await witness.upload(run, fileOf(name), `${name}\n`);
  await witness.start(run);
  await witness.until(run, "finished");
  await witness.expectFiles(run, [...NAMES.map(fileOf), file, joined]);
}

function fileOf(name: string): string {
  return `data/${name}.txt`;
}

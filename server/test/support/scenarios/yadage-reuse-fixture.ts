import { yadageEngine } from "#engines/yadage/yadage-engine";
import { jqEvaluator } from "#plumbing/jq/jq";
import { type Files, foundJobsFixture } from "./found-jobs-fixture.ts";

/** Fixture for restarts of Yadage runs. */
export async function yadageReuseFixture() {
  const fixture = await foundJobsFixture({
    engine: yadageEngine,
    evaluate: jqEvaluator(),
    file: "main.yml",
    files: filesOf,
    parameters,
  });
  return { ...fixture, parameters };
}

/** Three counts, the sum, and a report with a title, written by a nested workflow. */
function filesOf(ranFile: string): Files {
  return {
    "main.yml": `
stages:
- name: count
  dependencies: [init]
  scheduler:
    scheduler_type: multistep-stage
    parameters: {file: {step: init, output: files}, made: '{workdir}/made.txt'}
    scatter: {method: zip, parameters: [file]}
    step: {$ref: 'steps.yml#/count'}
- name: sum
  dependencies: [count]
  scheduler:
    scheduler_type: singlestep-stage
    parameters: {counts: {stages: count, output: made}, made: '{workdir}/made.txt'}
    step: {$ref: 'steps.yml#/sum'}
- name: tell
  dependencies: [sum]
  scheduler:
    scheduler_type: singlestep-stage
    parameters: {sum: {step: sum, output: made}, title: {step: init, output: title}}
    workflow: {$ref: report.yml}
`,
    "report.yml": `
stages:
- name: report
  dependencies: [init]
  scheduler:
    scheduler_type: singlestep-stage
    parameters: {sum: {step: init, output: sum}, title: {step: init, output: title}, made: '{workdir}/made.txt'}
    step: {$ref: 'steps.yml#/report'}
`,
    "steps.yml": `
count:
  process: {process_type: string-interpolated-cmd, cmd: 'echo count $(basename {file}) >> ${ranFile}; wc -c < {file} > {made}'}
  environment: {environment_type: docker-encapsulated, image: any, resources: [{kubernetes_job_timeout: 60}]}
  publisher: {publisher_type: frompar-pub, outputmap: {made: made}}
sum:
  process: {process_type: string-interpolated-cmd, cmd: 'echo sum >> ${ranFile}; cat {counts} > {made}'}
  environment: {environment_type: localproc-env}
  publisher: {publisher_type: fromglob-pub, globexpression: '*.txt', outputkey: made}
report:
  process:
    process_type: interpolated-script-cmd
    interpreter: bash
    script: |
      echo report >> ${ranFile}
      {{ echo "{title}"; cat {sum}; }} > {made}
  environment:
    environment_type: docker-encapsulated
    image: any
    env: {LANGUAGE: none}
    par_mounts: [{jqscript: '{of: .sum}', mountpath: /etc/report.json}]
  publisher: {publisher_type: interpolated-pub, publish: {made: '{made}'}}
`,
    "data/a.txt": "a\n",
    "data/b.txt": "bb\n",
    "data/c.txt": "ccc\n",
  };
}

const parameters = {
  files: ["data/a.txt", "data/b.txt", "data/c.txt"],
  title: "Counts",
};

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { snakemakeProgram } from "../support/engines/snakemake.ts";
import { SnakemakeServer } from "./snakemake-server.ts";

const INSTALL_MAX_MS = 300_000;
const POLL = { interval: 50 };

const CHAIN = `
rule all:
    input: "link1000"
rule first:
    output: "link0"
    shell: "touch {output}"
rule link:
    input: lambda wildcards: f"link{int(wildcards.n) - 1}"
    output: "link{n,[1-9][0-9]*}"
    shell: "touch {output}"
`;

const UNTOLD = "Snakemake ended without telling that the workflow is complete";

/** Ends Snakemake after the end of the first job and before the start of the second. */
const ENDED_HALFWAY = `
import os
def ends(wildcards):
    with checkpoints.first.get().output[0].open():
        os._exit(0)
rule all:
    input: ends
checkpoint first:
    output: "first"
    shell: "touch {output}"
`;

/** Ends Snakemake with the exit code of success after a job has failed. */
const HIDDEN_FAILURE = `
import os
onerror:
    os._exit(0)
rule all:
    output: "a"
    shell: "exit 3"
`;

/** Snakefiles that no planner can carry out, and the line of Snakemake expected in the run's failure. */
const BAD: readonly (readonly [what: string, snakefile: string, line: string])[] = [
  [
    "a syntax error",
    "rule all:\n    output: 'a'\n    shell 'true'\n",
    "Snakefile, line 2: SyntaxError: Colon expected after keyword shell.",
  ],
  [
    "a missing input",
    "rule all:\n    input: 'nowhere.txt'\n",
    "Snakefile, line 1: rule all needs nowhere.txt, which is missing.",
  ],
  [
    "ambiguous rules",
    "rule all:\n    input: 'a'\nrule one:\n    output: '{x}'\n    shell: ''\nrule two:\n    output: '{y}'\n    shell: ''\n",
    " are ambiguous for the file a.",
  ],
  ["a chain of 1,000 links", CHAIN, "RecursionError: maximum recursion depth exceeded"],
  [
    "a rule that does not make its output",
    "rule all:\n    output: 'a'\n    shell: 'true'\n",
    "Snakefile, line 1: rule all succeeded without making a.",
  ],
  [
    "Python code of a rule that fails",
    "rule all:\n    output: 'a'\n    run:\n        {}['k']\n",
    "Rule all failed: Snakefile, line 4: KeyError: 'k'.",
  ],
  [
    "a program of a conda environment",
    "rule all:\n    output: 'a'\n    conda: 'env.yaml'\n    shell: 'no-such-program'\n",
    'Its "conda: env.yaml" is ignored',
  ],
  [
    "a missing configuration",
    "configfile: 'config/config.yaml'\nX = config['samples']\n",
    "KeyError: 'samples'. The configfile config/config.yaml of the Snakefile is missing",
  ],
  ["an end of Snakemake", `print("line\\n" * 30)\nimport os\nos._exit(0)\n`, UNTOLD],
  ["an end of Python", "import sys\nsys.exit(0)\n", UNTOLD],
  ["an end after a checkpoint", ENDED_HALFWAY, UNTOLD],
  ["an end after a failed job", HIDDEN_FAILURE, "Rule all failed: its command exited with code 3."],
  [
    "code that fails",
    "raise ValueError('no such analysis')\n",
    "Snakefile, line 1: ValueError: no such analysis.",
  ],
];

/**
 * Writes into the file of messages before Snakemake does: fragments, messages of foreign planners, and
 * non-messages.
 */
const NONSENSE = `
import os
with open(os.environ["REPRISE_REQUESTS"], "a") as messages:
    messages.write('nonsense\\n1 {"attempt": 9, "kind": "what"}\\n1 {"attempt": 1, "ki\\n\\n0 {}\\n7 []\\n1 {"attempt": 1')
rule all:
    output: "a"
    shell: "touch {output}"
`;

/** Its messages go into a file, as Snakemake's guide advises. */
const QUIET =
  "rule all:\n    output: 'a'\n    log: 'logs/a.log'\n    shell: 'echo no such channel > {log}; exit 3'\n";

const HEALTHY = "rule all:\n    output: 'a'\n    shell: 'touch {output}'\n";

describe("bad input for Snakemake", { timeout: 180_000 }, () => {
  let server: SnakemakeServer;

  beforeAll(async () => {
    server = await SnakemakeServer.start(await snakemakeProgram("9.27.1"), 1);
  }, INSTALL_MAX_MS);
  afterAll(() => server.end());

  /** Starts a run with one parameter: Snakemake without any configuration reports another mistake first. */
  const begin = (Snakefile: string) =>
    server.begin({ files: { Snakefile } }, {}, { inputs: { parameters: { given: 1 } } });

  test("fails the run with the planner's own lines", async () => {
    const runs = await Promise.all(BAD.map(([, snakefile]) => begin(snakefile)));
    const told = runs.map(async (run, index) => {
      const { status } = await server.client.ended(run);
      const { body } = await server.client.call("GET", `workflows/${run}/failure`);
      const { sentence } = body["failure"] as { readonly sentence: string };
      const expected = BAD[index]![2];
      return [status, sentence.includes(expected) ? expected : sentence];
    });
    expect(await Promise.all(told)).toEqual(BAD.map(([, , line]) => ["failed", line]));
  });

  test("shows the end of the file that a failed rule writes its messages into", async () => {
    const run = await begin(QUIET);
    await server.client.ended(run);
    const { body } = await server.client.call("GET", `workflows/${run}/failure`);
    expect(body["failure"]).toMatchObject({ last_lines: ["The end of logs/a.log:", "no such channel"] });
  });

  test("does not hold up other runs, though the Python code never ends", async () => {
    const endless = await begin("while True: pass\n");
    await expect.poll(() => server.client.status(endless), POLL).toMatchObject({ status: "running" });
    expect(await server.client.ended(await begin(HEALTHY))).toMatchObject({ status: "finished" });
    expect(await server.client.status(endless)).toMatchObject({ status: "running" });
    await server.client.setStatus(endless, "stop");
    expect(await server.client.ended(endless)).toMatchObject({ status: "stopped" });
  });

  test("in the file of messages is ignored", async () => {
    const run = await begin(NONSENSE);
    expect(await server.client.ended(run)).toMatchObject({ status: "finished" });
    const { jobs } = await server.logsOf(run);
    expect(jobs.map(({ job_name: name }) => name)).toEqual(["snakemake", "all", "report"]);
  });
});

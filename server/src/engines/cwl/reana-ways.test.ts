import { describe, expect, test } from "vitest";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import { prepareCwl } from "#engines/cwl/cwl-preparation";
import { answerAll, collectedOf, inputFor, requestFor, type Texts } from "#engines/cwl/cwl-fixture";
import {
  type EngineInput,
  evaluatesNothing,
  type FileAsk,
  type Instruction,
  isAsk,
  isEnding,
} from "#engines/engine";
import type { Job, JobEnd } from "#workflow/job/job";

/** Tests REANA's extensions with a CWL workflow: the hint, the options, and the log lines that users look for. */
const engine = createCwlEngine();

const toolWith = (fields = "") => `
cwlVersion: v1.2
class: CommandLineTool
baseCommand: [cat]
inputs: {file: {type: File?, inputBinding: {}}}
stdout: out.txt
outputs: {made: stdout}
${fields}
`;

const CHAIN = `
cwlVersion: v1.2
class: Workflow
inputs: []
outputs:
  first: {type: File, outputSource: one/made}
  last: {type: File, outputSource: three/made}
steps:
  one: {run: tool.cwl, in: [], out: [made]}
  two: {run: tool.cwl, in: {file: one/made}, out: [made]}
  aside: {run: tool.cwl, in: {file: one/made}, out: [made]}
  three: {run: tool.cwl, in: {file: two/made}, out: [made]}
`;

type Ends = (job: Job) => Partial<JobEnd>;

/** Plays a run to its end. Every job succeeds unless `endOf` says otherwise. */
function play(input: EngineInput, endOf: Ends = () => ({})) {
  const workflow = engine.load(input, evaluatesNothing);
  let step = workflow.start();
  const all: Instruction[] = [...step.instructions];
  for (let at = 0; at < all.length; at += 1) {
    const one = all[at]!;
    const event = isAsk(one)
      ? ["go-on", "find-done", "hear", "tell"].includes(one.do)
        ? ({ kind: "went-on", id: one.id } as const)
        : answerAll(one as FileAsk)
      : one.do === "submit"
        ? endEventOf(one.job, endOf(one.job))
        : undefined;
    if (!event) continue;
    step = workflow.apply(step.state, event);
    all.push(...step.instructions);
  }
  const submitted = all.flatMap((one) => (one.do === "submit" ? [one] : []));
  const lines = all.flatMap((one) =>
    one.do === "log" ? [`${one.logger} | ${one.thread ?? "MainThread"} | ${one.line}`] : [],
  );
  return { submitted, jobs: submitted.map(({ job }) => job), lines, ending: all.find(isEnding)! };
}

function endEventOf(job: Job, end: Partial<JobEnd>) {
  const { key, attempt } = job;
  const whole: JobEnd = { reason: "exited", exitCode: 0, startedAtMs: 1, endedAtMs: 2, ...end };
  const ended = { kind: "job-ended", key, ...(attempt !== undefined && { attempt }), end: whole } as const;
  return { ...ended, lastLines: [], collected: collectedOf(job) };
}

describe("a failing job", () => {
  const inputOf = (fields: string, more: Partial<EngineInput> = {}) => ({
    ...inputFor({ "main.cwl": toolWith(fields) }),
    ...more,
  });
  const failing =
    (exitCode: number, times: number): Ends =>
    ({ attempt = 1 }) =>
      attempt <= times ? { exitCode } : {};
  const retries = (most: number) => ({ most, delayMs: 1000, after: ["lost"] as const });

  test("for a time is tried again, in a folder of its own, if the server retries", () => {
    const input = inputOf("temporaryFailCodes: [75]", { retries: retries(2) });
    const { submitted, ending, lines } = play(input, failing(75, 2));
    expect(submitted.map(({ job }) => [job.attempt, job.delayMs, job.workingFolder])).toEqual([
      [undefined, undefined, "cwl/1/main_cwl/out"],
      [2, 1000, "cwl/1/main_cwl~2/out"],
      [3, 2000, "cwl/1/main_cwl~3/out"],
    ]);
    expect(submitted[1]!.decision).toMatchObject({ kind: "retried" });
    expect(lines).toContain(
      "cwltool | MainThread | main.cwl failed: its command exited with code 75. It is retried (attempt 2 of 3), after 1 s.",
    );
    expect(ending).toMatchObject({ do: "finish", outputs: { made: { location: "outputs/out.txt" } } });
  });

  test.each([
    ["without retries", "temporaryFailCodes: [75]", undefined, 75, 1],
    ["after the last attempt", "temporaryFailCodes: [75]", retries(1), 75, 2],
    ["with another code, as the server retries lost jobs only", "", retries(2), 75, 1],
    ["with a permanent failure", "hints: {reana: {retries: 3}}\npermanentFailCodes: [75]", undefined, 75, 1],
    ["after the attempts of its hint", "hints: {reana: {retries: 3}}", undefined, 1, 4],
  ])("ends the run %s", (_, fields, own, code, attempts) => {
    const { jobs, ending } = play(inputOf(fields, own && { retries: own }), failing(code, 9));
    expect(jobs).toHaveLength(attempts);
    expect(ending).toMatchObject({ do: "fail", job: "main.cwl" });
  });

  test("on a machine that was lost is tried again, if the server retries that", () => {
    const { jobs } = play(inputOf("", { retries: retries(1) }), ({ attempt }) =>
      attempt ? {} : { reason: "lost", exitCode: null },
    );
    expect(jobs).toHaveLength(2);
  });
});

describe("the hint reana", () => {
  test("chooses backend, user, ticket and limits, with the workflow's own resources", () => {
    const hint =
      "{compute_backend: slurmcern, slurm_partition: short, kubernetes_uid: 500, kubernetes_memory_limit: 1Gi, kubernetes_job_timeout: 60}";
    const input = inputFor({
      "main.cwl": toolWith(`hints: {reana: ${hint}}\nrequirements: {ToolTimeLimit: {timelimit: 90}}`),
    });
    const resources = { cvmfs: ["sft.cern.ch"], kerberos: true };
    const { workflow } = input.specification;
    const specification = { ...input.specification, workflow: { ...workflow, resources } };
    expect(play({ ...input, specification }).jobs[0]).toMatchObject({
      backend: { name: "slurmcern", options: { slurm_partition: "short" } },
      user: { uid: 500, gid: 0 },
      kerberos: true,
      limits: { timeMs: 60_000, memoryBytes: 2 ** 30 },
      mounts: [{ from: "/cvmfs/sft.cern.ch", at: "/cvmfs/sft.cern.ch", mode: "read" }],
    });
  });

  test("gives the credentials of the user to the job", () => {
    const input = inputFor({ "main.cwl": toolWith("hints: {reana: {voms_proxy: true, rucio: true}}") });
    expect(play(input).jobs[0]).toMatchObject({ vomsProxy: true, rucio: true });
  });

  test("gives the words of HTCondor to the job", () => {
    const hint =
      "{compute_backend: htcondorcern, htcondor_max_runtime: espresso, htcondor_request_memory: 2 GB}";
    const input = inputFor({ "main.cwl": toolWith(`hints: {reana: ${hint}}`) });
    expect(play(input).jobs[0]).toMatchObject({
      backend: {
        name: "htcondorcern",
        options: { htcondor_max_runtime: "espresso", htcondor_request_memory: "2 GB" },
      },
    });
  });

  test.each([
    ["retries: often", 'reana: retries is "often"; it must be a whole number from 0 to 10.'],
    ["kubernetes_job_timeout: 0", "reana: kubernetes_job_timeout is 0; it must be"],
    ["privileged: true", "reana: it asks for the rights of the machine's administrator (privileged), which"],
    ["gpus: 0.5", "reana: gpus is 0.5; it must be a whole number of GPUs from 0 to 1024."],
    ["kubernetes_uid: root", 'reana: kubernetes_uid is "root"; it must be'],
  ])("is refused if %s", (field, sentence) => {
    const made = prepare({ "main.cwl": toolWith(`hints: {reana: {${field}}}`) });
    expect(made).toMatchObject({
      kind: "refused",
      problems: [{ message: expect.stringContaining(sentence) }],
    });
  });
});

describe("GPUs", () => {
  const asking = (fields: string) => {
    const texts = {
      "main.cwl": `$namespaces: {cwltool: "http://commonwl.org/cwltool#"}\n${toolWith(fields)}`,
    };
    const made = prepare(texts);
    if (made.kind !== "ready") throw new Error(JSON.stringify(made));
    return { gpus: made.gpus, resources: play(inputFor(texts)).jobs[0]!.resources };
  };
  const count = "cudaVersionMin: '12.0', cudaComputeCapability: '8.0'";

  test.each([
    ["requirements: {cwltool:CUDARequirement: {}}", 1],
    [`requirements: {cwltool:CUDARequirement: {${count}, cudaDeviceCountMin: 2}}`, 2],
    [`requirements: {cwltool:CUDARequirement: {${count}, cudaDeviceCountMin: 1, cudaDeviceCountMax: 4}}`, 1],
  ])("that a tool requires are reserved, and named before the start: %s", (fields, gpus) => {
    const found = asking(fields);
    expect(found.resources).toMatchObject({ gpus });
    expect(found.resources).not.toHaveProperty("gpusAreHint");
    expect(found.gpus).toEqual([{ who: "main.cwl", key: "cwltool:CUDARequirement", gpus }]);
  });

  test("of a hint are wanted, but the tool also runs without them", () => {
    const found = asking("hints: {cwltool:CUDARequirement: {cudaDeviceCountMin: 2}}");
    expect(found).toMatchObject({ gpus: undefined, resources: { gpus: 2, gpusAreHint: true } });
  });

  test("of the hint reana are needed: only this server reads it", () => {
    const found = asking("hints: {reana: {gpus: 2, compute_backend: slurm}}");
    expect(found).toEqual({
      gpus: [{ who: "main.cwl", key: "gpus", gpus: 2, backend: "slurm" }],
      resources: { cores: 1, memoryBytes: 256 * 2 ** 20, gpus: 2 },
    });
  });
});

describe("the option TARGET", () => {
  const texts = { "main.cwl": CHAIN, "tool.cwl": toolWith() };
  const chosen = (options: object) => {
    const request = { ...requestFor("main.cwl"), options: { ...options } };
    const made = prepareCwl(request, texts);
    if (made.kind !== "ready") throw new Error(JSON.stringify(made));
    return play({ ...inputFor(texts), model: made.model });
  };

  test.each([
    [{}, ["one", "aside", "two", "three"], ["first", "last"]],
    [{ TARGET: "two" }, ["one", "two"], ["first"]],
    [{ TARGET: "aside" }, ["one", "aside"], ["first"]],
    [{ TARGET: "last" }, ["one", "two", "three"], ["first", "last"]],
    [{ "--target": "two" }, ["one", "two"], ["first"]],
  ])("%j runs the steps that lead to the target", (options, steps, outputs) => {
    const { jobs, ending } = chosen(options);
    expect(jobs.map(({ key }) => key).toSorted()).toEqual(steps.toSorted());
    expect(Object.keys((ending as { outputs: object }).outputs)).toEqual(outputs);
  });

  test("is read from a specification of REANA's clients, and a start overrides it", () => {
    const request = requestFor("main.cwl");
    const specification = { ...request.specification, inputs: { options: { "--target": "two" } } };
    const stepsFor = (options: object) => {
      const made = prepareCwl({ ...request, specification, options: { ...options } }, texts);
      if (made.kind !== "ready") throw new Error(JSON.stringify(made));
      const { jobs } = play({ ...inputFor(texts), model: made.model });
      return jobs.map(({ key }) => key).toSorted();
    };
    expect(stepsFor({})).toEqual(["one", "two"]);
    expect(stepsFor({ TARGET: "aside" })).toEqual(["aside", "one"]);
  });

  test("must be present", () => {
    const made = prepareCwl({ ...requestFor("main.cwl"), options: { TARGET: "four" } }, texts);
    expect(made).toMatchObject({
      kind: "refused",
      problems: [
        {
          message:
            'The option TARGET is "four", which is no step and no output of the workflow (one, two, aside, three, first, last).',
        },
      ],
    });
  });
});

test("the lines that users of REANA look for are logged", () => {
  const { lines } = play(inputFor({ "main.cwl": CHAIN, "tool.cwl": toolWith() }));
  for (const line of [
    "cwltool | MainThread | [workflow ] start",
    "cwltool | MainThread | [step one] start",
    "cwltool | one | [step one] completed success",
    "cwltool | MainThread | [workflow ] completed success",
    "cwltool | MainThread | Final process status is success",
  ])
    expect(lines).toContain(line);
});

function prepare(texts: Texts) {
  return prepareCwl(requestFor("main.cwl"), texts);
}

test("a file of a document on the web is fetched into a folder of its own", () => {
  const texts = {
    "main.cwl": `cwlVersion: v1.2
class: Workflow
inputs: []
outputs: []
steps: {one: {run: https://example.org/tools/tool.cwl, in: [], out: []}}
`,
    "https://example.org/tools/tool.cwl": toolWith().replace(
      "type: File?",
      "type: File, default: {class: File, location: ../data.txt}",
    ),
  };
  expect(prepare(texts)).toMatchObject({
    model: {
      remoteInputs: [
        {
          address: "https://example.org/data.txt",
          path: expect.stringMatching(/^fetched\/[0-9a-f]{12}\/data\.txt$/),
        },
      ],
    },
  });
});

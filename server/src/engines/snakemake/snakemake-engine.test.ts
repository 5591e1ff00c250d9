import { describe, expect, test } from "vitest";
import { engineContract, SOME_RUN } from "#engines/contract-suite";
import {
  type Answer,
  type ChannelAsk,
  type Engine,
  type EngineEvent,
  type EngineInput,
  evaluatesNothing,
  type FileAsk,
  type Instruction,
} from "#engines/engine";
import { ENDED_EARLY } from "#engines/snakemake/planner-job";
import { createSnakemakeEngine } from "#engines/snakemake/snakemake-engine";
import { explainingLines } from "#engines/snakemake/telling-lines";
import { succeeded } from "#workflow/job/job";

const engine = createSnakemakeEngine({
  program: "/opt/bin/snakemake",
  plugin: { "__init__.py": "# plugin" },
  maxThreads: 2,
});

const inputOf = (change: Partial<EngineInput> = {}): EngineInput => ({
  specification: { workflow: { type: "snakemake", file: "Snakefile" } },
  parameters: {},
  options: {},
  model: { config: { n: 1 } },
  run: SOME_RUN,
  ...change,
});

const plan = (...rules: string[]) => ({
  kind: "plan",
  steps: rules.length + 1,
  rules: rules.map((name) => ({ name, jobs: 1, done: 0 })),
  edges: rules.slice(1).map((name, index) => [rules[index], name]),
});

const request = (rule: string, change: object = {}) => ({
  kind: "job",
  rule,
  name: rule,
  key: rule,
  shown: `make ${rule}`,
  command: `make ${rule}`,
  threads: 1,
  try: 1,
  resources: {},
  ...change,
});

/** Numbers the messages of the first planner. */
const linesOf = (...messages: object[]) =>
  messages.map((message, index) => `${index + 1} ${JSON.stringify({ attempt: 1, ...message })}`);

const TRANSCRIPT = linesOf(plan("a", "b", "c"), request("a"), request("b"), request("c"), request("d"));

/** Tells two lines at a time. The position is the line number here. */
function answer(ask: FileAsk | ChannelAsk): Answer | undefined {
  if (ask.do === "tell") return { kind: "told", id: ask.id };
  if (ask.do !== "hear" || ask.from >= TRANSCRIPT.length) return undefined;
  return { kind: "heard", id: ask.id, lines: TRANSCRIPT.slice(ask.from, ask.from + 2), to: ask.from + 2 };
}

engineContract("The engine of Snakemake", {
  engine,
  evaluate: evaluatesNothing,
  inputs: [
    inputOf(),
    inputOf({ run: { ...SOME_RUN, mostOutstanding: 10 } }),
    inputOf({ run: { ...SOME_RUN, mostOutstanding: 1 } }),
    inputOf({ retries: { most: 2, delayMs: 0, after: ["exited"] } }),
  ],
  answer,
  prepared: {
    requests: [
      inputOf(),
      inputOf({
        specification: {
          workflow: { type: "snakemake", file: "wf/Snakefile" },
          inputs: { parameters: { input: "config.yaml" } },
        },
      }),
    ],
    documents: { Snakefile: "", "wf/Snakefile": "", "config.yaml": "n: 3" },
  },
});

/** A run of the engine driven step by step by a test. */
class Play {
  readonly said: Instruction[] = [];
  readonly #workflow;
  #state: unknown;
  #heard = 0;
  #number = 0;

  constructor(input = inputOf({ run: { ...SOME_RUN, mostOutstanding: 10 } })) {
    this.#workflow = (engine as Engine).load(input, evaluatesNothing);
    const { state, instructions } = this.#workflow.start();
    this.#state = state;
    this.said.push(...instructions);
  }

  put(event: EngineEvent): readonly Instruction[] {
    const { state, instructions } = this.#workflow.apply(this.#state, event);
    this.#state = state;
    this.said.push(...instructions);
    return instructions;
  }

  hearLines(...lines: string[]): readonly Instruction[] {
    this.#heard += 1;
    return this.put({ kind: "heard", id: `hear ${this.#heard}`, lines, to: this.#heard * 100 });
  }

  hear(message: object, attempt = 1): readonly Instruction[] {
    this.#number += 1;
    return this.hearLines(`${this.#number} ${JSON.stringify({ attempt, ...message })}`);
  }

  startOver(): void {
    this.#number = 0;
  }

  end(key: string, how: object = {}, lastLines: readonly string[] = []): readonly Instruction[] {
    const end = { reason: "exited", exitCode: 0, startedAtMs: 1, endedAtMs: 2, ...how } as const;
    const issued = this.said.findLast((one) => one.do === "submit" && one.job.key === key);
    const number = issued?.do === "submit" ? issued.job.attempt : undefined;
    const event = { kind: "job-ended", key, end, lastLines: succeeded(end) ? [] : lastLines } as const;
    return this.put(number === undefined ? event : { ...event, attempt: number });
  }

  submitted(): string[] {
    return this.said.flatMap((one) =>
      one.do === "submit" ? [`${one.job.key} ${one.job.attempt ?? 1}`] : [],
    );
  }
}

const told = (instructions: readonly Instruction[]) =>
  instructions.flatMap((one) =>
    one.do === "tell" ? one.lines.map((line) => JSON.parse(line) as object) : [],
  );

describe("a run planned by Snakemake", () => {
  test("its planner takes no core, and finds the plugin and the configuration in its own folder", () => {
    const [, submit] = new Play().said;
    expect(submit).toMatchObject({
      do: "submit",
      job: {
        key: "snakemake",
        resources: { cores: 0, memoryBytes: 0 },
        environment: { PYTHONPATH: "/data/workspaces/w/.snakemake/reprise/1/planner-1" },
        stage: [
          { at: ".snakemake/reprise/1/planner-1/snakemake_executor_plugin_reprise/__init__.py" },
          { at: ".snakemake/reprise/1/planner-1/config.json", text: '{\n  "n": 1\n}\n' },
        ],
      },
    });
  });

  test("requested jobs are jobs of the run, and Snakemake learns their ends", () => {
    const words = { compute_backend: "htcondorcern", htcondor_max_runtime: "espresso" };
    const play = new Play();
    play.hear(plan("fit"));
    play.hear(
      request("fit", {
        key: "fit[n=1]",
        threads: 4,
        memory_mb: 500,
        image: "debian:12",
        resources: { kubernetes_job_timeout: 60, kubernetes_memory_limit: "1Gi", ...words },
      }),
    );
    expect(play.said.at(-1)).toMatchObject({
      do: "submit",
      job: {
        key: "fit[n=1]",
        node: "rule fit",
        command: { script: "make fit" },
        image: "debian:12",
        environment: { OMP_NUM_THREADS: "4" },
        resources: { cores: 4, memoryBytes: 2 ** 30 },
        limits: { timeMs: 60_000, memoryBytes: 2 ** 30 },
        backend: { name: "htcondorcern", options: { htcondor_max_runtime: "espresso" } },
      },
    });
    expect(told(play.end("fit[n=1]"))).toEqual([{ attempt: 1, request: 2, ok: true, why: "" }]);
  });

  test("only a call of Snakemake without an image of its own must run on the machine", () => {
    const play = new Play();
    const hear = (name: string, change: object) => {
      play.hear(request(name, change));
      const said = play.said.findLast((one) => one.do === "submit");
      return said?.do === "submit" && said.job.isHostProgram;
    };
    expect(hear("shell", { needs_snakemake: false })).toBeUndefined();
    expect(hear("script", { needs_snakemake: true })).toBe(true);
    expect(hear("own", { needs_snakemake: true, image: "snakemake/snakemake:v9" })).toBeUndefined();
  });

  test("a failure reaches Snakemake, and names the run's failure when Snakemake gives up", () => {
    const play = new Play();
    play.hear(request("fit"));
    const why = "Rule fit failed: its command exited with code 3.";
    expect(told(play.end("fit", { exitCode: 3 }))).toEqual([{ attempt: 1, request: 1, ok: false, why }]);
    expect(play.end("snakemake", { exitCode: 1 }).at(-1)).toEqual({ do: "fail", reason: why, job: "fit" });
  });

  test("a job retried by Snakemake is the next attempt, and a single success counts", () => {
    const play = new Play();
    play.hear(request("fit"));
    play.end("fit", { exitCode: 3 });
    play.put({ kind: "told", id: "tell 1" });
    play.hear(request("fit", { try: 2 }));
    play.end("fit");
    play.put({ kind: "told", id: "tell 2" });
    expect(play.submitted()).toEqual(["snakemake 1", "fit 1", "fit 2"]);
    play.end("snakemake");
    expect(play.end("report").at(-1)).toEqual({ do: "finish" });
  });

  test("jobs of a Snakemake group count as a single job after the end", () => {
    const play = new Play();
    play.hear(plan("a", "b"));
    expect(play.said).toContainEqual({ do: "expect", jobs: 4 });
    play.hear(request("a", { name: "g", key: "group a+b" }));
    play.end("group a+b");
    expect(play.end("snakemake")).toContainEqual({ do: "expect", jobs: 3 });
  });

  test("a lost planner plans again after the end of all jobs", () => {
    const play = new Play();
    play.hear(request("a"));
    play.hear(request("b"));
    play.end("snakemake", { reason: "lost", exitCode: null });
    expect(told(play.end("a"))).toEqual([{ attempt: 1, request: 1, ok: true, why: "" }]);
    play.end("b", { exitCode: 1 });
    expect(told(play.put({ kind: "told", id: "tell 1" }))).toMatchObject([
      { attempt: 1, request: 2, ok: false },
    ]);
    expect(play.submitted()).toEqual(["snakemake 1", "a 1", "b 1"]);
    play.put({ kind: "told", id: "tell 2" });
    expect(play.submitted().at(-1)).toBe("snakemake 2");
    // The last messages of the lost planner are ignored.
    expect(play.hear(request("c")).map((one) => one.do)).toEqual(["hear"]);
    play.startOver();
    play.hear(request("b"), 2);
    expect(play.submitted().at(-1)).toBe("b 2");
    expect(told(play.end("b"))).toEqual([{ attempt: 2, request: 1, ok: true, why: "" }]);
  });

  test("a planner that fails without a failed job says why in its own last lines", () => {
    const lines = ["SyntaxError in file Snakefile, line 3:", "invalid syntax"];
    expect(new Play().end("snakemake", { exitCode: 1 }, lines).at(-1)).toEqual({
      do: "fail",
      job: "snakemake",
      reason: ["Snakefile, line 3: SyntaxError: invalid syntax.", ...lines].join("\n"),
    });
    expect(new Play().end("snakemake", { exitCode: 1 }, ["it broke"]).at(-1)).toMatchObject({
      reason: "Snakemake failed: its command exited with code 1.\nit broke",
    });
  });

  test("a planner that fails without a configfile says so, and shows paths from the workspace", () => {
    const printed = [
      'KeyError in file "/data/workspaces/w/Snakefile", line 2:',
      "'samples'",
      "Missing configfile: config/config.yaml",
    ];
    expect(new Play().end("snakemake", { exitCode: 1 }, printed).at(-1)).toMatchObject({
      reason:
        "Snakefile, line 2: KeyError: 'samples'. The configfile config/config.yaml of the Snakefile is missing: " +
        "add it to the inputs, or give all that it holds as parameters.\n" +
        "KeyError in file \"Snakefile\", line 2:\n'samples'",
    });
  });

  test("a rule with a missing program names the ignored environment", () => {
    const play = new Play();
    play.hear(request("fit", { unused: "conda: envs/fit.yaml" }));
    play.end("fit", { exitCode: 127 });
    expect(play.end("snakemake", { exitCode: 1 }).at(-1)).toMatchObject({
      job: "fit",
      reason:
        'Rule fit failed: its command exited with code 127 (command not found). Its "conda: envs/fit.yaml" is ignored: ' +
        'install the programs on this machine, or name an image with "container:".',
    });
  });

  test("a rule that Snakemake itself runs fails with the cause that Snakemake prints", () => {
    const play = new Play();
    play.hear(request("fit", { needs_snakemake: true }));
    play.hear(request("sum"));
    play.end("sum", { exitCode: 2 });
    const printed = ["RuleException:", 'KeyError in file "/data/workspaces/w/Snakefile", line 5:', "'k'"];
    play.end("fit", { exitCode: 1 }, ["Building DAG of jobs...", ...printed]);
    expect(told(play.put({ kind: "told", id: "tell 1" })).at(-1)).toMatchObject({
      why: "Rule fit failed: Snakefile, line 5: KeyError: 'k'.",
    });
    expect(play.end("snakemake", { exitCode: 1 }).at(-1)).toMatchObject({
      reason: "Rule sum failed: its command exited with code 2. 1 more failed.",
    });
  });

  test("the files that a rule writes messages into are named by its job", () => {
    const play = new Play();
    play.hear(request("fit", { logs: ["logs/fit.log", "../outside.log"] }));
    expect(play.said.at(-1)).toMatchObject({ job: { logFiles: ["logs/fit.log"] } });
  });

  test("a planner that ends early fails with the planner's sentence alone", () => {
    const lines = [...Array<string>(20).fill("ValueError: caught"), ENDED_EARLY];
    expect(new Play().end("snakemake", { exitCode: 1 }, lines).at(-1)).toEqual({
      do: "fail",
      job: "snakemake",
      reason: ENDED_EARLY,
    });
  });
});

test("the reason of a planner's failure leaves out the lines that it always prints", () => {
  const lines = [
    "  Config MD5: 03d3",
    "Building DAG of jobs...",
    "[Mon Nov 23 05:33:57 2026]",
    "rule fit:",
    "MissingOutputException in rule fit in file Snakefile, line 7:",
    "Job 1 completed successfully, but some output files are missing.",
    "",
    "Shutting down, this might take some time.",
    "Exiting because a job execution failed. Look above for error messages",
    "Complete log(s): .snakemake/log/1.log",
    "WorkflowError:",
    "At least one job did not complete successfully.",
  ];
  expect(explainingLines(lines)).toEqual(lines.slice(4, 6));
  expect(explainingLines(["WorkflowError:", "conda is missing."])).toEqual([
    "WorkflowError:",
    "conda is missing.",
  ]);
});

describe("a planner that is not Snakemake", () => {
  const failure = (instructions: readonly Instruction[]) => {
    const last = instructions.at(-1);
    return last?.do === "fail" ? last.reason : last?.do;
  };

  test("lines cut off by a crash, repeated messages and messages of other planners are ignored", () => {
    const play = new Play();
    play.hear(plan("a"));
    expect(failure(play.hearLines("2 {", "nonsense", "", '1 {"attempt":1}', '9 {"attempt":7}'))).toBe("hear");
  });

  test.each([
    ["a message that is missing", '3 {"attempt":1,"kind":"job"}', "message 1 is missing"],
    ["a message of no kind", '1 {"attempt":1,"kind":"what"}', "message 1 cannot be read"],
    [
      "a job without a command",
      '1 {"attempt":1,"kind":"job","rule":"a","name":"a","key":"a"}',
      "cannot be read",
    ],
  ])("%s ends the run by name", (_, line, expected) => {
    expect(failure(new Play().hearLines(line))).toContain(expected);
  });

  test("the same job under two numbers ends the run by name", () => {
    const play = new Play();
    play.hear(request("a"));
    expect(failure(play.hear(request("a")))).toBe("Snakemake asked twice for the job a.");
  });

  test("a limit that cannot be read ends the run by name", () => {
    const job = request("a", { resources: { kubernetes_memory_limit: "much" } });
    expect(failure(new Play().hear(job))).toMatch(/^Rule "a": kubernetes_memory_limit is "much"/);
  });

  test("a rule with a demand that no server can meet ends the run by name, unless the demand is without a value", () => {
    const job = request("a", { resources: { privileged: true } });
    expect(failure(new Play().hear(job))).toMatch(
      'Rule "a": it asks for the rights of the machine\'s administrator (privileged), which this server cannot give.',
    );
    expect(failure(new Play().hear(request("a", { resources: { privileged: false } })))).toBe("submit");
  });

  test("the job of a rule has the credentials of the rule", () => {
    const asked = new Play().hear(request("a", { resources: { voms_proxy: true, rucio: 1 } }));
    const job = expect.objectContaining({ vomsProxy: true, rucio: true });
    expect(asked).toContainEqual(expect.objectContaining({ do: "submit", job }));
  });

  test("an end before its jobs fails the run", () => {
    const play = new Play();
    play.hear(request("a"));
    expect(failure(play.end("snakemake"))).toBe("Snakemake ended before the jobs that it asked for.");
  });
});

import { describe, expect, test } from "vitest";
import { engineContract, SOME_RUN } from "#engines/contract-suite";
import { withDask } from "#engines/dask/with-dask";
import {
  type EngineEvent,
  type EngineInput,
  evaluatesNothing,
  type Instruction,
  type LoadedWorkflow,
  type Submit,
} from "#engines/engine";
import { serialEngine } from "#engines/serial/serial-engine";
import type { JobEnd } from "#workflow/job/job";

const engine = withDask(serialEngine);
const ADDRESS = "tls://10.0.0.1:4000";

function inputWith(dask: object | undefined, mostOutstanding = 20): EngineInput {
  return {
    specification: {
      workflow: {
        type: "serial",
        ...(dask && { resources: { dask } }),
        specification: { steps: [{ name: "fit", commands: ["python fit.py"], compute_backend: "slurm" }] },
      },
    },
    parameters: {},
    options: {},
    run: { ...SOME_RUN, mostOutstanding },
  };
}

const TWO_WORKERS = inputWith({ image: "dask", number_of_workers: 2, single_worker_memory: "1Gi" });

engineContract("An engine with a Dask cluster", {
  engine,
  evaluate: evaluatesNothing,
  inputs: [TWO_WORKERS, inputWith(undefined)],
  answer: ({ id, ...ask }) => {
    if (ask.do === "hear") return { kind: "heard", id, lines: [ADDRESS], to: ADDRESS.length + 1 };
    return ask.do === "write" ? { kind: "written", id } : undefined;
  },
});

/** A run of an engine, with the instructions that followed from each event. */
class Played {
  readonly #loaded: LoadedWorkflow;
  #state: unknown;
  last: readonly Instruction[];

  constructor(input = TWO_WORKERS) {
    this.#loaded = engine.load(input, evaluatesNothing);
    const first = this.#loaded.start();
    this.#state = first.state;
    this.last = first.instructions;
  }

  apply(event: EngineEvent): this {
    const { state, instructions } = this.#loaded.apply(this.#state, event);
    this.#state = state;
    this.last = instructions;
    return this;
  }

  hear(): this {
    return this.apply({ kind: "heard", id: "dask:address", lines: [ADDRESS], to: 22 });
  }

  end(key: string, how: Partial<JobEnd> = {}, attempt?: number): this {
    const end: JobEnd = { reason: "exited", exitCode: 0, startedAtMs: 1, endedAtMs: 2, ...how };
    const event = { kind: "job-ended", key, end, lastLines: [] } as const;
    return this.apply(attempt === undefined ? event : { ...event, attempt });
  }

  get submitted(): readonly Submit[] {
    return this.last.filter((one) => one.do === "submit");
  }

  get keys(): string[] {
    return this.submitted.map(({ job }) => job.key);
  }

  get words(): string[] {
    return this.last.map((one) => one.do);
  }
}

describe("a run with a Dask cluster", () => {
  test("starts workers and steps once the scheduler listens", () => {
    const run = new Played();
    expect(run.keys).toEqual(["dask:scheduler"]);
    expect(run.hear().keys).toEqual(["dask:worker-1", "dask:worker-2", "0.0"]);
    const [worker, , step] = run.submitted.map(({ job }) => job);
    expect(worker).toMatchObject({
      image: "dask",
      backend: { name: "slurm" },
      limits: { memoryBytes: 2 ** 30 },
      resources: { cores: 0, memoryBytes: 0 },
    });
    expect(step).toMatchObject({ environment: { DASK_SCHEDULER_URI: ADDRESS }, network: "full" });
  });

  test("counts the members among its jobs", () => {
    expect(new Played().hear().last).toContainEqual({ do: "expect", jobs: 4 });
  });

  test("finishes once all members have ended", () => {
    const run = new Played().hear();
    expect(run.end("0.0").last).toEqual([
      { do: "write", id: "dask:stop", files: [{ path: ".dask/1/stop", text: "" }] },
    ]);
    expect(run.apply({ kind: "written", id: "dask:stop" }).last).toEqual([]);
    expect(run.end("dask:worker-2").end("dask:scheduler").last).toEqual([]);
    expect(run.end("dask:worker-1").last).toEqual([{ do: "finish" }]);
  });

  test("finishes despite members that cannot be asked to end", () => {
    const run = new Played().hear().end("0.0");
    const refusal = { kind: "refused", id: "dask:stop", reason: "The disk is full." } as const;
    expect(run.apply(refusal).last).toEqual([{ do: "finish" }]);
  });

  test("fails at once after a failed step", () => {
    expect(new Played().hear().end("0.0", { exitCode: 3 }).words).toEqual(["fail"]);
  });

  test("fails with its scheduler and names the exit code", () => {
    expect(new Played().end("dask:scheduler", { exitCode: 127 }).last).toEqual([
      {
        do: "fail",
        reason: "The Dask scheduler failed: its command exited with code 127 (command not found).",
        job: "dask:scheduler",
      },
    ]);
  });

  test("starts a worker again and logs the reason", () => {
    const run = new Played().hear().end("dask:worker-1", { reason: "out-of-memory", exitCode: 137 });
    expect(run.last[0]).toMatchObject({ level: "ERROR", line: expect.stringContaining("is started again") });
    expect(run.submitted).toMatchObject([{ job: { key: "dask:worker-1", attempt: 2 } }]);
  });

  test("continues with fewer workers, and fails with the last one", () => {
    const run = new Played().hear();
    const endAll = (key: string) => run.end(key).end(key, {}, 2).end(key, {}, 3);
    expect(endAll("dask:worker-1").words).toEqual(["log"]);
    expect(endAll("dask:worker-2").last).toMatchObject([
      { do: "fail", reason: expect.stringContaining("has no worker left"), job: "dask:worker-2" },
    ]);
  });

  test("needs places for its members", () => {
    expect(new Played(inputWith({ image: "dask" }, 6)).last).toMatchObject([
      { do: "fail", reason: expect.stringContaining("--max-outstanding of at least 7") },
    ]);
  });
});

test("a restart makes a new cluster, and compares the steps alone", () => {
  const scheduler = { id: "s", key: "dask:scheduler", status: "finished" };
  const previous = { ...TWO_WORKERS, name: "w.1", inputs: null, stamps: null, jobs: [scheduler] };
  const restart = { previous, fresh: false, fromStep: null } as unknown as EngineInput["restart"];
  const judged = engine.reuse!.judge({ ...TWO_WORKERS, restart: restart! }, undefined);
  expect(judged).toMatchObject([{ verdict: "runs" }]);
});

import type { EngineInput, Instruction, Step } from "#engines/engine";
import { drawnRule } from "#engines/snakemake/picture";
import { mostJobs, placesOf, plannerJob, type SnakemakeProgram } from "#engines/snakemake/planner-job";
import { jobOf, maybeDecision, maybeProblem } from "#engines/snakemake/requested-job";
import type { RequestedJob } from "#engines/snakemake/messages";
import {
  attemptsOf,
  type SnakemakeState,
  type Verdict,
  withAttempt,
  without,
} from "#engines/snakemake/state";
import type { Decision } from "#workflow/job/decision";
import type { Job } from "#workflow/job/job";

/** The logger of REANA's engine. REANA's acceptance tests search its lines. */
const LOGGER = "snakemake.logging";
/** Maximum length of the text of a verdict: a sentence. */
const WHY_MAX = 1000;
/** Maximum number of verdicts in one ask. */
const VERDICTS_MAX = 1000;

/** A step of the engine: the current state, and the new instructions. */
export class Progress {
  readonly input: EngineInput;
  readonly server: SnakemakeProgram;
  state: SnakemakeState;
  readonly #instructions: Instruction[] = [];

  constructor(input: EngineInput, server: SnakemakeProgram, state: SnakemakeState) {
    this.input = input;
    this.server = server;
    this.state = state;
  }

  do(...instructions: readonly Instruction[]): void {
    this.#instructions.push(...instructions);
  }

  set(change: Partial<SnakemakeState>): void {
    this.state = { ...this.state, ...change };
  }

  say(line: string, level: "INFO" | "ERROR" = "INFO"): void {
    this.do({ do: "log", logger: LOGGER, level, line });
  }

  /** Ends the step: first tells the planner the verdicts, then starts as many jobs as the run may have outstanding. */
  step(): Step<SnakemakeState> {
    this.#tellVerdicts();
    this.#submitWaiting();
    return { state: this.state, instructions: this.#instructions };
  }

  fail(reason: string, job?: string): Step<SnakemakeState> {
    this.set({ phase: "ended", waiting: [], verdicts: [] });
    this.do({ do: "fail", reason, ...(job !== undefined && { job }) });
    return { state: this.state, instructions: this.#instructions };
  }

  finish(): Step<SnakemakeState> {
    this.set({ phase: "ended" });
    this.do({ do: "finish" });
    return { state: this.state, instructions: this.#instructions };
  }

  hearId(): string {
    return `hear ${this.state.heard.asks}`;
  }

  tellId(): string {
    return `tell ${this.state.told.asks}`;
  }

  /** Asks for the planner's next messages. While a planner runs, one ask of this kind is always outstanding. */
  hearNext(): void {
    const { heard } = this.state;
    this.set({ heard: { ...heard, asks: heard.asks + 1 } });
    this.do({ do: "hear", id: this.hearId(), path: placesOf(this.input).requests, from: heard.to });
  }

  plan(attempt: number): void {
    this.set({ phase: "planning", planner: attempt, heard: { ...this.state.heard, number: 0 } });
    this.do({ do: "submit", job: plannerJob(this.input, this.server, attempt) });
  }

  /** Records the end of a job for the planner that requested it. If the planner is lost, its successor is answered. */
  judge({ request, ok, why }: Verdict): void {
    if (!this.#isAnswering()) return;
    this.set({ verdicts: [...this.state.verdicts, { request, ok, why: why.slice(0, WHY_MAX) }] });
  }

  #isAnswering(): boolean {
    return this.state.phase === "planning" || this.state.phase === "lost";
  }

  #tellVerdicts(): void {
    const { told, verdicts, planner } = this.state;
    if (told.isAsked || verdicts.length === 0 || !this.#isAnswering()) return;
    const now = verdicts.slice(0, VERDICTS_MAX);
    const number = told.number + now.length;
    this.set({
      verdicts: verdicts.slice(VERDICTS_MAX),
      told: { number, asks: told.asks + 1, isAsked: true },
    });
    const lines = now.map((verdict) => JSON.stringify({ attempt: planner, ...verdict }));
    const { answers: path } = placesOf(this.input);
    this.do({ do: "tell", id: this.tellId(), path, first: told.number + 1, lines });
  }

  #submitWaiting(): void {
    const { waiting, told } = this.state;
    if (waiting.length === 0 || this.state.phase !== "planning") return;
    const most = mostJobs(this.input.run) - (told.isAsked ? 1 : 0);
    const free = Math.max(0, most - Object.keys(this.state.open).length);
    for (const request of waiting.slice(0, free)) this.submit(request, 1, maybeDecision(request.reason));
    this.set({ waiting: waiting.slice(free) });
  }

  submit(
    request: RequestedJob,
    tries: number,
    decision: Decision | undefined,
    delay?: Pick<Job, "delayMs">,
  ): void {
    const { key, rule } = request;
    const attempt = attemptsOf(this.state, key) + 1;
    const { plan } = this.state;
    if (plan?.rules.some(({ name }) => name === rule) !== true) {
      this.do(drawnRule(rule));
      const known = plan ?? { steps: 0, rules: [], edges: [], mayGrow: true };
      this.set({ plan: { ...known, rules: [...known.rules, { name: rule, jobs: 1, done: 0 }] } });
    }
    this.set({
      ...withAttempt(this.state, key, attempt),
      open: { ...this.state.open, [key]: { request, attempt, tries } },
      failures: without(this.state.failures, key),
    });
    const job = { ...jobOf(this.input, request, attempt), ...delay };
    this.do({ do: "submit", job, ...(decision && { decision }) });
  }

  /** Returns why a requested job is invalid for the run. */
  maybeProblem(request: RequestedJob): string | undefined {
    const { open, waiting } = this.state;
    const isUnderWay = Object.hasOwn(open, request.key) || waiting.some(({ key }) => key === request.key);
    return isUnderWay ? `Snakemake asked twice for the job ${request.name}.` : maybeProblem(request);
  }
}

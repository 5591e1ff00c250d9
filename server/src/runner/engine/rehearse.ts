import { type Answer, type Ask, type EngineEvent, type Instruction, isAsk } from "#engines/engine";
import type { Judgement } from "#engines/reuse";
import type { EngineSession } from "#runner/engine/engine-runtime";
import type { Decision } from "#workflow/job/decision";
import type { Job } from "#workflow/job/job";
import { differs } from "#workflow/job/job-contents";

/** Asks that a rehearsal may answer, because they change no state. */
export type RehearsedAsk = Exclude<Ask, { do: "write" | "publish" | "stamp" | "hear" | "tell" | "go-on" }>;

export interface Rehearsal {
  /** The engine's decisions about jobs. Decisions that depend on a job to be run are unknown. */
  readonly judged: readonly Judgement[];
  /** Why the run would fail before all of these jobs have run. */
  readonly failure?: string;
}

/** Drives an engine with real answers up to each job that would run. */
export async function rehearse(
  session: EngineSession,
  answer: (ask: RehearsedAsk) => Promise<Answer>,
): Promise<Rehearsal> {
  const judged: Judgement[] = [];
  const todo: Instruction[] = [...(await session.start())];
  // A run has very many instructions: removing each from the front of a list would take quadratic time.
  for (let at = 0; at < todo.length; at += 1) {
    const instruction = todo[at]!;
    if (instruction.do === "fail") return { judged, failure: instruction.reason };
    if (instruction.do === "finish") break;
    const decided = maybeJudgement(instruction);
    if (decided) judged.push(decided);
    const event = await maybeAnswer(instruction, answer);
    if (event) todo.push(...(await session.apply([event])).flat());
  }
  return { judged };
}

function maybeAnswer(
  instruction: Instruction,
  answer: (ask: RehearsedAsk) => Promise<Answer>,
): Promise<EngineEvent> | undefined {
  if (!isAsk(instruction)) return undefined;
  switch (instruction.do) {
    case "go-on":
      return Promise.resolve({ kind: "went-on", id: instruction.id });
    // Input files are written just before their job: the job would run.
    case "write":
      return Promise.resolve({ kind: "written", id: instruction.id });
    // A run publishes only after all its jobs.
    case "publish":
    case "stamp":
    // A rehearsal has no job to talk to.
    case "hear":
    case "tell":
      return undefined;
    default:
      return answer(instruction);
  }
}

function maybeJudgement(instruction: Instruction): Judgement | undefined {
  if (instruction.do === "submit") return judgement(instruction.job, "runs", instruction.decision ?? FIRST);
  if (instruction.do !== "take-over") return undefined;
  return { ...judgement(instruction.job, "taken-over", instruction.decision), from: instruction.from };
}

const FIRST: Decision = { kind: "first-run", facts: [], sentence: "It has not run in this workspace." };

function judgement(
  {
    key,
    name,
    label = name,
    displayCommand: command,
  }: Pick<Job, "key" | "name" | "label" | "displayCommand">,
  verdict: Judgement["verdict"],
  decision: Decision,
): Judgement {
  const differences = verdict === "runs" ? decision.facts.filter(differs) : [];
  return { key, name, label, command, verdict, decision, differences, from: null, stamps: null };
}

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Answer,
  type Ask,
  type ChannelAsk,
  type Collected,
  type ReusableJob,
  type Engine,
  type EngineEvent,
  type EngineInput,
  type EngineRun,
  type Evaluate,
  type FileAsk,
  type FindDone,
  type Instruction,
  isAsk,
  isEnding,
  type LoadedWorkflow,
  type RunRequest,
  type Step,
} from "#engines/engine";
import type { Graph } from "#workflow/graph";
import { placesLeft } from "#engines/outstanding";
import type { Documents } from "#engines/documents";
import { attemptOf, type Job } from "#workflow/job/job";

export interface EngineUnderTest {
  readonly engine: Engine;
  readonly evaluate: Evaluate;
  /** Workflows to try. Each workflow must end once all asks have been answered. */
  readonly inputs: readonly EngineInput[];
  /** Returns the answer to an ask about the run's files. Undefined means that the ask is refused. */
  answer(ask: FileAsk | ChannelAsk): Answer | undefined;
  /** Returns the job found in an earlier run, or null. Optional. */
  found?(ask: FindDone): ReusableJob | null;
  /** Requests to prepare, and the available documents, for an engine that reads documents. */
  readonly prepared?: { readonly requests: readonly RunRequest[]; readonly documents: Documents };
  /** Returns the information about files reported with the end of a successful job. */
  collectedOf?(job: Job): Collected;
}

/** A run, for inputs of engines tried without a real run. */
export const SOME_RUN: EngineRun = {
  id: "0b3f3c1e-6a0a-4d0e-8c4b-1c1f4a3b2d10",
  name: "w.1",
  number: "1",
  workspaceFolder: "/data/workspaces/w",
  mostOutstanding: 3,
};

/** The events of one run, and the resulting step of each event. The first step is the start. */
interface History {
  readonly events: readonly EngineEvent[];
  readonly steps: readonly Step<unknown>[];
}

/** Chooses the outstanding request to answer next, and its success. Choices are used cyclically. */
type Choices = readonly { readonly pick: number; readonly goesWell: boolean }[];

const choicesArbitrary: fc.Arbitrary<Choices> = fc.array(
  fc.record({ pick: fc.nat(1000), goesWell: fc.integer({ min: 0, max: 19 }).map((n) => n > 0) }),
  { minLength: 1, maxLength: 40 },
);
/** Upper bound on the length of every test workflow. */
const STEPS_MAX = 1000;

/** The promises of `engine.ts`, for every engine. */
export function engineContract(name: string, subject: EngineUnderTest): void {
  const load = (input: EngineInput) => subject.engine.load(input, subject.evaluate);
  const property = (check: (input: EngineInput, history: History) => void) =>
    fc.assert(
      fc.property(fc.constantFrom(...subject.inputs), choicesArbitrary, (input, choices) => {
        check(input, play(subject, load(input), choices));
      }),
    );

  describe(`${name} keeps the contract of an engine`, () => {
    test.each(subject.prepared?.requests ?? [])(
      "documents are asked for until there is a model or a problem (%#)",
      (request) => expectPrepared(subject, frozen(request)),
    );

    test("every run reaches an end, and no event follows the end", () =>
      property((_input, { steps }) => {
        const endings = steps.map((step) => step.instructions.filter(isEnding).length);
        expect(endings.reduce((sum, count) => sum + count, 0)).toBe(1);
        expect(steps.findIndex((step) => step.instructions.some(isEnding))).toBe(steps.length - 1);
        expect(isEnding(steps.at(-1)!.instructions.at(-1)!)).toBe(true);
      }));

    test("after the end no event has any effect", () =>
      property((input, { events, steps }) => {
        for (const event of [...events, ...FOREIGN]) expectNoChange(load(input), steps.at(-1)!.state, event);
      }));

    test("the same events give the same states and instructions on any replay", () =>
      property((input, history) => expect(replay(load(input), history.events)).toEqual(history.steps)));

    test("states and instructions are plain JSON", () =>
      property((_input, { steps }) => expect(copyOf(steps)).toEqual(steps)));

    test("keys of jobs and ids of asks are issued once", () =>
      property((_input, { steps }) => {
        const names = steps.flatMap((step) => step.instructions.flatMap(nameOf));
        expect(new Set(names).size).toBe(names.length);
      }));

    test("no more jobs and asks are outstanding than the run allows", () =>
      property(({ run }, { events, steps }) => {
        const open = new Set<string>();
        steps.forEach(({ instructions }, index) => {
          const event = events[index - 1];
          if (event) open.delete(answeredBy(event));
          for (const request of requestsOf(instructions)) open.add(requestName(request));
          expect(placesLeft(run, open.size)).toBeGreaterThanOrEqual(0);
        });
      }));

    test("the state does not depend on the path of the workspace", () =>
      property((input, { events, steps }) => {
        const moved = { ...input, run: { ...input.run, workspaceFolder: "/moved/elsewhere" } };
        const states = replay(load(moved), events).map(({ state }) => state);
        expect(states).toEqual(steps.map(({ state }) => state));
      }));

    test("unknown, duplicate and late events change nothing", () =>
      property((input, { events, steps }) => {
        const workflow = load(input);
        steps.forEach((step, index) => {
          for (const event of [...events.slice(0, index), ...FOREIGN])
            expectNoChange(workflow, step.state, event);
        });
      }));

    test("a run resumed from a copy of the state equals a run without a stop", () =>
      property((input, { events, steps }) => {
        const middle = Math.floor(steps.length / 2);
        const state = copyOf(steps[middle]!.state);
        expect(continueFrom(load(input), state, events.slice(middle))).toEqual(steps.slice(middle + 1));
      }));

    test("each job belongs to a node that is drawn by then, and nodes are drawn once, parents first", () =>
      property((input, { steps }) => {
        const known = new Set<string>();
        const draw = ({ nodes, edges }: Graph) => {
          for (const { id, parent } of nodes) {
            expect(known.has(id)).toBe(false);
            expect(parent === null || known.has(parent)).toBe(true);
            known.add(id);
          }
          for (const { from, to } of edges) expect([known.has(from), known.has(to)]).toEqual([true, true]);
        };
        draw(load(input).graph());
        for (const { instructions } of steps) {
          for (const instruction of instructions) {
            if (instruction.do === "draw") draw(instruction);
            if (instruction.do === "mark") expect(known).toContain(instruction.node);
          }
          for (const instruction of instructions)
            if (instruction.do === "submit" || instruction.do === "take-over")
              expect(known).toContain(instruction.job.node);
        }
      }));
  });
}

/** Gives the engine the requested documents. Expects each request to name a document not given yet. */
function expectPrepared({ engine, prepared }: EngineUnderTest, request: RunRequest): void {
  const given: Record<string, string> = {};
  for (;;) {
    const made = engine.prepare!(request, frozen({ ...given }));
    expect(engine.prepare!(request, { ...given })).toEqual(made);
    if (made.kind === "refused") return expect(made.problems).not.toEqual([]);
    if (made.kind === "ready") return expect(copyOf(made.model)).toEqual(made.model);
    const missing = made.documents.filter(({ location }) => !Object.hasOwn(given, location));
    expect(missing).not.toEqual([]);
    for (const { location } of missing) {
      const text = prepared!.documents[location];
      if (text === undefined) return;
      given[location] = text;
    }
  }
}

const FOREIGN: readonly EngineEvent[] = [
  { kind: "read", id: "nobody asked", text: "", bytes: 0 },
  { kind: "refused", id: "nobody asked", reason: "" },
  { kind: "went-on", id: "nobody asked" },
  { kind: "job-ended", key: "no such job", end: endWith(0), lastLines: [] },
  { kind: "job-ended", key: "no such job", end: endWith(1), lastLines: [] },
];

function endWith(exitCode: number) {
  return { reason: "exited", exitCode, startedAtMs: 1, endedAtMs: 2 } as const;
}

/** Plays a run. States are frozen at each step: an engine that modifies a state in place fails here. */
function play(subject: EngineUnderTest, workflow: LoadedWorkflow, choices: Choices): History {
  const events: EngineEvent[] = [];
  const steps = [frozen(workflow.start())];
  const outstanding = requestsOf(steps[0]!.instructions);
  while (outstanding.length > 0 && steps.length < STEPS_MAX && !steps.at(-1)!.instructions.some(isEnding)) {
    const { pick, goesWell } = choices[events.length % choices.length]!;
    const [request] = outstanding.splice(pick % outstanding.length, 1);
    const event = frozen(eventFor(subject, request!, goesWell));
    events.push(event);
    steps.push(frozen(workflow.apply(steps.at(-1)!.state, event)));
    outstanding.push(...requestsOf(steps.at(-1)!.instructions));
  }
  return { events, steps };
}

function requestsOf(instructions: readonly Instruction[]): (Ask | Job)[] {
  return instructions.flatMap((instruction): (Ask | Job)[] => {
    if (instruction.do === "submit") return [instruction.job];
    return isAsk(instruction) ? [instruction] : [];
  });
}

function eventFor(subject: EngineUnderTest, request: Ask | Job, goesWell: boolean): EngineEvent {
  if ("do" in request) {
    if (request.do === "go-on") return { kind: "went-on", id: request.id };
    if (request.do === "find-done") return foundFor(subject, request, goesWell);
    const answer = goesWell ? subject.answer(request) : undefined;
    return answer ?? { kind: "refused", id: request.id, reason: "It cannot be had." };
  }
  const attempt = request.attempt === undefined ? {} : { attempt: request.attempt };
  const ended = { kind: "job-ended", key: request.key, ...attempt } as const;
  if (!goesWell) return { ...ended, end: endWith(1), lastLines: ["it went wrong"] };
  const collected = subject.collectedOf?.(request);
  return { ...ended, end: endWith(0), lastLines: [], ...(collected && { collected }) };
}

function foundFor(subject: EngineUnderTest, request: FindDone, goesWell: boolean): Answer {
  return { kind: "found-done", id: request.id, found: (goesWell && subject.found?.(request)) || null };
}

function replay(workflow: LoadedWorkflow, events: readonly EngineEvent[]): Step<unknown>[] {
  const first = workflow.start();
  return [first, ...continueFrom(workflow, first.state, events)];
}

function continueFrom(
  workflow: LoadedWorkflow,
  from: unknown,
  events: readonly EngineEvent[],
): Step<unknown>[] {
  let state = from;
  return events.map((event) => {
    const step = workflow.apply(state, event);
    state = step.state;
    return step;
  });
}

function expectNoChange(workflow: LoadedWorkflow, state: unknown, event: EngineEvent): void {
  expect(workflow.apply(state, event)).toEqual({ state, instructions: [] });
}

function nameOf(instruction: Instruction): string[] {
  if (instruction.do === "submit" || instruction.do === "take-over")
    return [`job ${instruction.job.key} ${attemptOf(instruction.job)}`];
  return isAsk(instruction) ? [`ask ${instruction.id}`] : [];
}

function requestName(request: Ask | Job): string {
  return "do" in request ? `ask ${request.id}` : `job ${request.key} ${attemptOf(request)}`;
}

function answeredBy(event: EngineEvent): string {
  return event.kind === "job-ended" ? `job ${event.key} ${attemptOf(event)}` : `ask ${event.id}`;
}

function copyOf<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

function frozen<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

import type { Ask, Instruction, Step } from "#engines/engine";
import { placesLeft } from "#engines/outstanding";
import type { YadageContext } from "#engines/yadage/state/context";
import { withFolder } from "#engines/yadage/state/places";
import { StageError } from "#engines/yadage/state/stage-error";
import { Draft, type Task, type YadageState } from "#engines/yadage/state/state";
import type { Decision } from "#workflow/job/decision";
import type { Job } from "#workflow/job/job";
import { attemptOf } from "#workflow/job/job";

/** Collects the changes of one engine call: the current state, and the new instructions. */
export class Progress {
  readonly context: YadageContext;
  readonly draft: Draft;
  readonly #instructions: Instruction[] = [];

  constructor(context: YadageContext, state: YadageState) {
    this.context = context;
    this.draft = new Draft(state);
  }

  say(instruction: Instruction): void {
    this.#instructions.push(instruction);
  }

  /** Asks a question for a task. The task receives the answer. */
  ask(task: Task, question: (id: string) => Ask): void {
    this.say(question(`${task.kind} ${this.draft.addAsk(task)}`));
  }

  submit(node: number, job: Job, why: Decision | undefined): void {
    this.draft.changeNode(node, { attempt: attemptOf(job) });
    this.draft.set({ openCount: this.draft.state.openCount + 1 });
    this.say({ do: "submit", job, ...(why && { decision: why }) });
  }

  /** The job of a node has ended. */
  closeJob(node: number): void {
    this.draft.changeNode(node, { attempt: null });
    this.draft.set({ openCount: this.draft.state.openCount - 1 });
  }

  isFull(): boolean {
    return placesLeft(this.context.run, this.draft.state.openCount) <= 0;
  }

  isIdle(): boolean {
    return this.draft.state.openCount === 0;
  }

  /** Ends the run if the work on a stage fails, like Yadage itself. */
  guarded(work: () => void): void {
    if (this.draft.state.hasEnded) return;
    try {
      work();
    } catch (error) {
      if (!(error instanceof StageError)) throw error;
      this.fail(error.message);
    }
  }

  fail(reason: string, job?: string | null): void {
    this.draft.set({ hasEnded: true });
    const shown = withFolder(reason, this.context.run.workspaceFolder);
    this.say({ do: "fail", reason: shown, ...(job && { job }) });
  }

  end(): void {
    this.draft.set({ hasEnded: true });
  }

  step(): Step<YadageState> {
    return { state: this.draft.state, instructions: this.#instructions };
  }
}

/** Runs the work on a stage. A failure names the stage. */
export function inStage(name: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    throw new StageError(`Stage "${name}" cannot be carried out: ${error.message}.`);
  }
}

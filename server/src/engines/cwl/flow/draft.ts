import type { FileAsk, FindDone, Instruction, Step } from "#engines/engine";
import type { Address, CwlState, OpenAsk, Task } from "#engines/cwl/flow/state";
import { maybeTask, withTask } from "#engines/cwl/flow/tree";
import { type OutstandingLimit, placesLeft } from "#engines/outstanding";
import { emptyList, itemAt, withItem, withoutItem } from "#engines/wide-list";

/** Logger name of cwltool for messages about a whole run. */
const LOGGER = "cwltool";

/** A state in the making: changes gather here while one event is applied, and become the next state together. */
export class Draft {
  state: CwlState;
  readonly instructions: Instruction[] = [];
  readonly #limit: OutstandingLimit;

  constructor(state: CwlState, limit: OutstandingLimit) {
    this.state = state;
    this.#limit = limit;
  }

  get free(): number {
    return placesLeft(this.#limit, this.state.open);
  }

  change(part: Partial<CwlState>): void {
    this.state = { ...this.state, ...part };
  }

  task(address: Address): Task | undefined {
    return maybeTask(this.state.root, address);
  }

  setTask(address: Address, task: Task): void {
    this.change({ root: withTask(this.state.root, address, task) });
  }

  push(...addresses: readonly Address[]): void {
    this.change({ ready: [...this.state.ready, ...addresses] });
  }

  pop(): Address | undefined {
    const { ready } = this.state;
    if (ready.length > 0) this.change({ ready: ready.slice(0, -1) });
    return ready.at(-1);
  }

  /** Issues asks, as many as may be outstanding. Returns how many. */
  ask(address: Address | null, asks: readonly FileAsk[]): number {
    const some = asks.slice(0, this.free);
    for (const ask of some) this.#open({ id: ask.id, address, ask });
    this.instructions.push(...some);
    return some.length;
  }

  /** Looks for an equal job of an earlier run. The contents to compare are not part of the state. */
  find(address: Address, ask: Omit<FindDone, "do" | "id">): void {
    const id = this.nextId(ask.key, 0);
    this.#open({ id, address, ask: null, finds: true });
    this.instructions.push({ do: "find-done", id, ...ask });
  }

  /** Asks for another turn, to divide long work into steps. */
  goOn(): void {
    const id = this.nextId("go-on", 0);
    this.#open({ id, address: null, ask: null });
    this.instructions.push({ do: "go-on", id });
  }

  /** Returns the ask with the id of an answer, and closes it. Undefined if the ask is not open. */
  maybeClosed(id: string): OpenAsk | undefined {
    const number = numberIn(id);
    const ask = itemAt(this.state.asks, number);
    if (ask?.id !== id) return undefined;
    this.change({ asks: withoutItem(this.state.asks, number), open: this.state.open - 1 });
    return ask;
  }

  #open(ask: OpenAsk): void {
    const asks = withItem(this.state.asks, numberIn(ask.id), ask);
    this.change({ asks, open: this.state.open + 1, ids: this.state.ids + 1 });
  }

  nextId(what: string, number: number): string {
    return `${what} ${this.state.ids + number + 1}`;
  }

  /** Logs a line, by default in cwltool's main thread. */
  log(line: string, thread?: string): void {
    this.instructions.push({ do: "log", logger: LOGGER, level: "INFO", line, ...(thread && { thread }) });
  }

  end(ending: Instruction): void {
    this.instructions.push(ending);
    this.change({ phase: "over", ready: [], open: 0, asks: emptyList(), root: OVER });
    const { results: _, ...others } = this.state;
    this.state = others;
  }

  step(): Step<CwlState> {
    return { state: this.state, instructions: this.instructions };
  }
}

/** Returns the number in an id made by `nextId`. Ids never have the number 0. */
function numberIn(id: string): number {
  return Number(/ ([0-9]+)$/.exec(id)?.[1] ?? 0);
}

const OVER: Task = { kind: "leaf", facts: { looks: {}, texts: {}, lists: {}, sums: {} }, pending: 0 };

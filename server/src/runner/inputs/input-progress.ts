import type { Clock } from "#plumbing/clock";
import { counted } from "#plumbing/text/counted";
import { humanSize } from "#plumbing/text/human-size";
import { type RemoteInput, shownAddress } from "#workflow/specification/remote-inputs";

interface Progress {
  readonly input: RemoteInput;
  bytes: number | undefined;
  here: number;
  isThere: boolean;
  fault: string | undefined;
}

const SAID_EVERY_MS = 1000;

/** The progress of the inputs of one run, as a sentence about what the run waits for. */
export class InputProgress {
  readonly #all: readonly Progress[];
  readonly #clock: Clock;
  readonly #say: (sentence: string) => void;
  #saidAtMs = Number.NEGATIVE_INFINITY;

  constructor(inputs: readonly RemoteInput[], clock: Clock, say: (sentence: string) => void) {
    this.#all = inputs.map((input) => ({
      input,
      bytes: undefined,
      here: 0,
      isThere: false,
      fault: undefined,
    }));
    this.#clock = clock;
    this.#say = say;
  }

  /** Notes the size of an input, and how much of it is there. */
  size(index: number, bytes: number | undefined, here: number): void {
    Object.assign(this.#all[index]!, { bytes, here });
    this.#maybeSay();
  }

  arrived(index: number, count: number): void {
    const one = this.#all[index]!;
    one.here += count;
    one.fault = undefined;
    this.#maybeSay();
  }

  done(index: number): void {
    Object.assign(this.#all[index]!, { isThere: true, fault: undefined });
    this.#maybeSay();
  }

  fault(index: number, sentence: string): void {
    this.#all[index]!.fault = sentence;
    this.#sayNow();
  }

  sentence(): string {
    const fault = this.#all.find((one) => one.fault !== undefined)?.fault;
    if (fault !== undefined) return fault;
    const there = this.#all.filter(({ isThere }) => isThere).length;
    const arriving = this.#all.filter(({ isThere }) => !isThere);
    const [only] = arriving;
    if (arriving.length === 1 && only) return aboutOne(only);
    const bytes = this.#all.reduce((sum, { here }) => sum + here, 0);
    return `It fetches ${counted(this.#all.length, "input")}: ${there} have arrived, ${humanSize(bytes)} so far.`;
  }

  #maybeSay(): void {
    if (this.#clock.elapsedMs() - this.#saidAtMs >= SAID_EVERY_MS) this.#sayNow();
  }

  #sayNow(): void {
    this.#saidAtMs = this.#clock.elapsedMs();
    this.#say(this.sentence());
  }
}

function aboutOne({ input, bytes, here }: Progress): string {
  const size = bytes === undefined ? humanSize(here) : `${humanSize(here)} of ${humanSize(bytes)}`;
  return `It fetches ${shownAddress(input.address)}: ${size} so far.`;
}

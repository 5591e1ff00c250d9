import { type Block, readBlocks } from "./blocks.ts";
import { messageOf } from "#plumbing/errors";
import { difference, hasBegun } from "./expected.ts";
import { editCode } from "./edit-code.ts";
import { openTerminal, type Prompt, type Terminal } from "./terminal.ts";

/** A word that the reader of a guide must replace. */
const PLACEHOLDER = /^[A-Z]+$/;

/** A reader's preparations for a guide, and the parts that a test leaves out. */
export interface Guide {
  readonly file: string;
  /** The reader's replacements for words, by word. */
  readonly values?: Readonly<Record<string, string>>;
  /** Commands that run until Ctrl-C. Each command needs a separate terminal. */
  readonly staying?: readonly string[];
  /** Blocks to leave out: part of the block's text, and the reason. */
  readonly leftOut?: Readonly<Record<string, string>>;
  /** The folder of the checkout in which the code of a guide is saved. */
  readonly checkout?: string;
  /**
   * Commands that run beforehand and stay, each in a separate terminal. Each command prints when it is ready.
   */
  readonly before?: readonly string[];
  /** Replies to questions of commands, by the last words of the question. */
  readonly replies?: Readonly<Record<string, string>>;
  /** Actions right after a command, or once a command that stays is ready, by a part of its text. */
  readonly after?: Readonly<Record<string, () => Promise<void>>>;
  /** Actions on another machine while a command waits for them, by a part of its text. */
  readonly during?: Readonly<Record<string, Elsewhere>>;
}

/** Actions of a person on another machine, given the output of a command so far. */
export interface Elsewhere {
  isDue(printed: string): boolean;
  act(printed: string): Promise<void>;
}

export interface Desk {
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Follows a guide to the letter: types its commands into terminals, and compares the output with the guide.
 */
export async function followGuide(guide: Guide, desk: Desk): Promise<void> {
  const blocks = await readBlocks(guide.file);
  const walk = new Walk(guide, desk);
  try {
    await walk.prepare();
    for (const block of blocks) await walk.take(block);
    await walk.finish();
  } catch (error) {
    walk.problems.push(messageOf(error));
  } finally {
    await walk.close();
  }
  if (walk.problems.length > 0) throw new Error(walk.problems.join("\n\n"));
}

class Walk {
  /** Differences from the guide. The walk continues after each, to find all of them. */
  readonly problems: string[] = [];
  readonly #guide: Guide;
  readonly #desk: Desk;
  readonly #terminals = new Map<number, { terminal: Terminal; stays: boolean }>();
  readonly #met = new Set<string>();
  #last: { readonly at: number; readonly printed: string; readonly isCompared: boolean } | undefined;

  constructor(guide: Guide, desk: Desk) {
    this.#guide = guide;
    this.#desk = desk;
  }

  async prepare(): Promise<void> {
    for (const [index, command] of (this.#guide.before ?? []).entries()) {
      const terminal = await openTerminal(this.#desk.home, this.#desk.environment);
      this.#terminals.set(-1 - index, { terminal, stays: true });
      await terminal.type(command, (printed) => printed.includes(" is ready at "));
    }
  }

  async take(block: Block): Promise<void> {
    const text = block.lines.join("\n");
    if (this.#entry(this.#guide.leftOut, text)) {
      this.#last = undefined;
      return;
    }
    if (block.language === "text") return this.#compare(block);
    if (["ts", "diff"].includes(block.language)) return editCode(block, this.#guide.checkout);
    if (!["console", "sh"].includes(block.language)) {
      throw new Error(`${block.place}: nothing says what is done with a block of "${block.language}"`);
    }
    this.#checkSwitch(block);
    await (block.language === "sh" ? this.#typeScript(block) : this.#typeCommands(block));
  }

  /** Ends the running commands, like a reader, and checks that every entry of the table was used. */
  async finish(): Promise<void> {
    for (const [at, place] of this.#terminals) if (place.stays) await this.#pressCtrlC(at);
    const { leftOut, replies, after, during } = this.#guide;
    const entries = [leftOut, replies, after, during].flatMap((table) => Object.keys(table ?? {}));
    const left = [...entries, ...(this.#guide.staying ?? [])].filter((key) => !this.#met.has(key));
    if (left.length > 0)
      throw new Error(`${this.#guide.file} has no such block or command: ${left.join(", ")}`);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#terminals.values()].map(({ terminal }) => terminal.close()));
  }

  #entry<Value>(table: Readonly<Record<string, Value>> | undefined, text: string): Value | undefined {
    const found = Object.entries(table ?? {}).find(([part]) => text.includes(part));
    if (found) this.#met.add(found[0]);
    return found?.[1];
  }

  /** A reader goes to another terminal only when the text says so. */
  #checkSwitch(block: Block): void {
    const before = this.#last?.at ?? 1;
    if (block.terminal !== before && !/\bterminal\b/.test(block.paragraph)) {
      throw new Error(`${block.place}: the text before does not say that this is for another terminal`);
    }
    for (const word of Object.keys(this.#guide.values ?? {})) {
      const isNew = !this.#met.has(word) && block.lines.some((line) => line.includes(word));
      if (isNew) this.#met.add(word);
      if (isNew && PLACEHOLDER.test(word) && !block.paragraph.includes(`\`${word}\``)) {
        throw new Error(`${block.place}: the text before does not say what to put in for ${word}`);
      }
    }
  }

  /** Lines of `sh` are typed one by one. The outputs of all lines belong together. */
  async #typeScript(block: Block): Promise<void> {
    const terminal = await this.#idle(block.terminal, block);
    let printed = "";
    for (const [index, line] of block.lines.entries()) {
      const prompt = await terminal.type(this.#filledIn(line));
      const output = terminal.takeOutput();
      printed += output;
      if (prompt !== "continue") this.#checkExit(prompt, `${placeOf(block, index)}: ${line}`, output);
    }
    this.#last = { at: block.terminal, printed, isCompared: false };
  }

  /** In `console`, `$ ` begins a command. Below stand its further lines, if the shell asks for more, and its output. */
  async #typeCommands(block: Block): Promise<void> {
    for (let index = 0; index < block.lines.length;) {
      const terminal = await this.#idle(block.terminal, block);
      const place = placeOf(block, index);
      const command = this.#filledIn(block.lines[index]!);
      if (!command.startsWith("$ ")) throw new Error(`${place}: a command begins with "$ "`);
      const end = block.lines.findIndex((line, at) => at > index && line.startsWith("$ "));
      const below = block.lines
        .slice(index + 1, end === -1 ? undefined : end)
        .map((line) => this.#filledIn(line));
      await this.#typeCommand(terminal, block.terminal, place, command.slice(2), below);
      index = end === -1 ? block.lines.length : end;
    }
  }

  async #typeCommand(
    terminal: Terminal,
    at: number,
    place: string,
    command: string,
    below: readonly string[],
  ): Promise<void> {
    const stays = (this.#guide.staying ?? []).find((one) => command === one || command.endsWith(`&& ${one}`));
    if (stays !== undefined) this.#met.add(stays);
    let expected = below;
    const isShown = stays === undefined ? undefined : (printed: string) => hasBegun(expected, printed);
    const elsewhere = this.#entry(this.#guide.during, command);
    let prompt = await this.#typeAndReply(terminal, command, elsewhere?.isDue ?? isShown);
    if (elsewhere && prompt === "running") {
      await elsewhere.act(terminal.shown());
      prompt = await terminal.untilPrompt();
    }
    while (prompt === "continue" && expected.length > 0) {
      prompt = await terminal.type(expected[0]!);
      expected = expected.slice(1);
    }
    const printed = terminal.takeOutput();
    this.#last = { at, printed, isCompared: expected.length > 0 };
    if (prompt === "running") {
      this.#terminals.get(at)!.stays = true;
      await this.#entry(this.#guide.after, command)?.();
      return;
    }
    this.#checkExit(prompt, `${place}: ${command}`, printed);
    if (expected.length > 0) this.#compareLines(place, expected, printed);
    await this.#entry(this.#guide.after, command)?.();
  }

  async #typeAndReply(terminal: Terminal, command: string, isShown?: (printed: string) => boolean) {
    const replies = Object.entries(this.#guide.replies ?? {});
    const question = (printed: string) => replies.find(([words]) => printed.trimEnd().endsWith(words));
    const isEnough = (printed: string) => isShown?.(printed) === true || question(printed) !== undefined;
    let prompt = await terminal.type(command, isEnough);
    for (let asked; prompt === "running" && (asked = question(terminal.shown()));) {
      this.#met.add(asked[0]);
      terminal.takeOutput();
      prompt = await terminal.type(asked[1], isEnough);
    }
    return prompt;
  }

  async #compare(block: Block): Promise<void> {
    const expected = block.lines.map((line) => this.#filledIn(line));
    const stays = this.#terminals.get(block.terminal)?.stays === true;
    if (stays) {
      const { terminal } = this.#terminals.get(block.terminal)!;
      await terminal.waitFor((printed) => hasBegun(expected, printed));
      terminal.takeOutput();
      return;
    }
    if (!this.#last || this.#last.isCompared)
      throw new Error(`${block.place}: it is not clear what printed this`);
    this.#compareLines(block.place, expected, this.#last.printed);
    this.#last = { ...this.#last, isCompared: true };
  }

  /** Returns the terminal, ready for a command. Ends the running program if the text mentions Ctrl-C. */
  async #idle(at: number, block: Block): Promise<Terminal> {
    const place = this.#terminals.get(at);
    if (!place) {
      const terminal = await openTerminal(this.#desk.home, this.#desk.environment);
      this.#terminals.set(at, { terminal, stays: false });
      return terminal;
    }
    if (place.stays) {
      if (!block.paragraph.includes("Ctrl-C"))
        throw new Error(`${block.place}: terminal ${at} is still busy`);
      await this.#pressCtrlC(at);
    }
    return place.terminal;
  }

  async #pressCtrlC(at: number): Promise<void> {
    const place = this.#terminals.get(at)!;
    await place.terminal.pressCtrlC();
    place.terminal.takeOutput();
    place.stays = false;
  }

  #filledIn(line: string): string {
    const fill = (text: string, [from, to]: readonly [string, string]) =>
      PLACEHOLDER.test(from)
        ? text.replaceAll(new RegExp(`\\b${from}\\b`, "g"), to)
        : text.replaceAll(from, to);
    return Object.entries(this.#guide.values ?? {}).reduce(fill, line);
  }

  #checkExit(prompt: Prompt | "running", command: string, printed: string): void {
    if (typeof prompt === "object" && prompt.exitCode === 0) return;
    const how = typeof prompt === "object" ? `ended with ${prompt.exitCode}` : "is not complete";
    this.problems.push(`${command}\n${how}:\n${printed}`);
  }

  #compareLines(place: string, expected: readonly string[], printed: string): void {
    const found = difference(expected, printed);
    if (found !== undefined) this.problems.push(`${place}: ${found}\nPrinted was:\n${printed}`);
  }
}

function placeOf(block: Block, index: number): string {
  const [file, line] = block.place.split(":");
  return `${file}:${Number(line) + index}`;
}

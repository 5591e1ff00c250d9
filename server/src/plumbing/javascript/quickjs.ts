import { messageOf } from "#plumbing/errors";
import {
  type Address,
  checkLayout,
  HEAP_END_AT,
  newInstance,
  type QuickJsInstance,
  STACK,
  wordAt,
} from "#plumbing/javascript/quickjs-instance";

/** The whole state of the interpreter: its memory, without stack. */
export interface Image {
  readonly data: Uint8Array;
  readonly heap: Uint8Array;
}

/** A script could not be carried out, for a reason that would repeat. The message is a clause: "it took …". */
export class ScriptError extends Error {
  override readonly name = "ScriptError";
}

/** The interpreter asks whether to continue after this many loops and calls. */
export const STEPS_PER_QUESTION = 10_000;
/** Limit on what scripts allocate. The worker process has 512 MB for this, the kept images, and the engine itself. */
const SCRIPT_MAX_BYTES = 64 * 2 ** 20;
/** Limit on the whole memory. The texts of source and input, the stack and gaps do not count as the scripts'. */
const MEMORY_MAX_BYTES = 128 * 2 ** 20;
/** Larger instances are replaced, because their memory never shrinks. */
const KEPT_MAX_BYTES = 32 * 2 ** 20;
/** 1,400 nested calls. V8 would also stop them, but at a varying depth. */
const STACK_MAX_BYTES = 256 * 2 ** 10;
export const TOO_DEEP = "it nests too deeply";
/** Maximum length of a text read from the interpreter. */
const TEXT_MAX_BYTES = 32 * 2 ** 20;
const STRICT = 1 << 3;
const ADDRESS_BYTES = 4;

/**
 * QuickJS with one context. Its whole state is its memory. A snapshot of the memory is restored before every
 * evaluation, so every evaluation starts from the same state. Allocations of a script are never freed: the
 * next restore overwrites them.
 */
export class QuickJs {
  readonly #module: object;
  readonly #context: Address;
  #instance: QuickJsInstance;
  #steps = 0;
  #maxSteps = Infinity;
  #isBroken = false;

  constructor(module: object) {
    this.#module = module;
    this.#instance = this.#newInstance();
    const { quickJs } = this.#instance;
    quickJs.initialize();
    checkLayout(this.#instance);
    const runtime = quickJs.newRuntime();
    quickJs.setMemoryLimit(runtime, SCRIPT_MAX_BYTES);
    quickJs.setMaxStackSize(runtime, STACK_MAX_BYTES);
    quickJs.enableInterruptHandler(runtime);
    this.#context = quickJs.newContext(runtime, 0);
  }

  /** Number of steps of the last work, in tens of thousands. */
  get steps(): number {
    return this.#steps;
  }

  /** Carries out work that runs scripts. Throws a `ScriptError` if they take more steps, or break the interpreter. */
  within<Result>(maxSteps: number, work: () => Result): Result {
    this.#steps = 0;
    this.#maxSteps = maxSteps;
    try {
      return work();
    } catch (error) {
      if (this.#steps > maxSteps) throw new ScriptError(`it took more than ${maxSteps} steps`);
      if (error instanceof ScriptError) throw error;
      this.#isBroken = true;
      // V8 counts the interpreter's nesting too, and has less room in a parser that nests than QuickJS believes.
      const isTooDeep = error instanceof RangeError;
      throw new ScriptError(isTooDeep ? TOO_DEEP : `it broke the interpreter: ${messageOf(error)}`);
    }
  }

  /** Runs a script in strict mode. Returns the address of its result. */
  run(code: string): Address {
    const { address, bytes } = this.#newText(code);
    const fileName = this.#newText("expression.js").address;
    const { evaluate } = this.#instance.quickJs;
    return this.#checked(evaluate(this.#context, address, bytes, fileName, 0, STRICT));
  }

  /** Calls a function with texts. Returns its result as a text. */
  call(callee: Address, texts: readonly string[]): string {
    const { newString, getUndefined, call } = this.#instance.quickJs;
    const values = texts.map((text) => newString(this.#context, this.#newText(text).address));
    const list = this.#allocate(values.length * ADDRESS_BYTES);
    const { buffer } = this.#instance.memory;
    values.forEach((value, index) =>
      new DataView(buffer).setUint32(list + index * ADDRESS_BYTES, value, true),
    );
    const result = call(this.#context, callee, getUndefined(), values.length, list);
    return this.#textOf(this.#checked(result));
  }

  takeImage(): Image {
    const { memory } = this.#instance;
    const bytes = new Uint8Array(memory.buffer);
    return { data: bytes.slice(0, STACK.from), heap: bytes.slice(STACK.to, wordAt(memory, HEAP_END_AT)) };
  }

  /** Puts the state back. Nothing reads beyond the heap's end. */
  restore({ data, heap }: Image): void {
    // The stack pointer is not in the memory, and a breakdown loses it.
    if (this.#isBroken || this.#instance.memory.buffer.byteLength > KEPT_MAX_BYTES) {
      this.#instance = this.#newInstance();
      this.#isBroken = false;
    }
    const bytes = new Uint8Array(this.#instance.memory.buffer);
    bytes.set(data, 0);
    bytes.set(heap, STACK.to);
  }

  #newInstance(): QuickJsInstance {
    return newInstance(this.#module, MEMORY_MAX_BYTES, () => {
      this.#steps += STEPS_PER_QUESTION;
      return this.#steps > this.#maxSteps;
    });
  }

  /** Returns the result of a script, or throws what the script has thrown. */
  #checked(result: Address): Address {
    const thrown = this.#instance.quickJs.resolveException(this.#context, result);
    if (thrown !== 0) throw new ScriptError(`it threw ${this.#textOf(thrown)}`);
    return result;
  }

  #newText(text: string): { readonly address: Address; readonly bytes: number } {
    const encoded = Buffer.from(text);
    const address = this.#allocate(encoded.length + 1);
    const memory = new Uint8Array(this.#instance.memory.buffer);
    memory.set(encoded, address);
    memory[address + encoded.length] = 0;
    return { address, bytes: encoded.length };
  }

  #textOf(value: Address): string {
    const { quickJs, memory } = this.#instance;
    const address = quickJs.getString(this.#context, value);
    if (address === 0) throw new ScriptError("it has a result that is no text");
    const end = new Uint8Array(
      memory.buffer,
      address,
      Math.min(TEXT_MAX_BYTES, memory.buffer.byteLength - address),
    );
    const length = end.indexOf(0);
    if (length < 0) throw new ScriptError("its result is too long");
    return Buffer.from(end.buffer, address, length).toString();
  }

  #allocate(bytes: number): Address {
    const address = this.#instance.quickJs.malloc(bytes);
    if (address === 0) throw new ScriptError("it needed too much memory");
    return address;
  }
}

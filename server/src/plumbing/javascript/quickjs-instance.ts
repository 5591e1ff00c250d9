import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

/**
 * The binary interface of QuickJS as compiled to WebAssembly in `@jitl/quickjs-wasmfile-release-sync` 0.32.0.
 * The names are minified by its compiler; a test compares them with the loader in the same package. The
 * loader is not used: it starts asynchronously and gives the interpreter the time of day.
 */
export interface QuickJsInstance {
  readonly memory: Memory;
  readonly quickJs: QuickJsFunctions;
}

/** A place in the memory of an instance. */
export type Address = number;

export interface QuickJsFunctions {
  readonly initialize: () => void;
  readonly malloc: (bytes: number) => Address;
  readonly newRuntime: () => Address;
  readonly setMemoryLimit: (runtime: Address, bytes: number) => void;
  readonly setMaxStackSize: (runtime: Address, bytes: number) => void;
  readonly enableInterruptHandler: (runtime: Address) => void;
  readonly newContext: (runtime: Address, intrinsics: number) => Address;
  readonly getUndefined: () => Address;
  readonly newString: (context: Address, text: Address) => Address;
  readonly getString: (context: Address, value: Address) => Address;
  readonly evaluate: (
    context: Address,
    code: Address,
    bytes: number,
    fileName: Address,
    detectModule: number,
    flags: number,
  ) => Address;
  readonly call: (context: Address, callee: Address, self: Address, count: number, list: Address) => Address;
  /** Returns the thrown value, or 0 if the call did not throw. */
  readonly resolveException: (context: Address, result: Address) => Address;
}

export const EXPORT_NAMES: Readonly<Record<keyof QuickJsFunctions, string>> = {
  initialize: "u",
  malloc: "v",
  newRuntime: "K",
  setMemoryLimit: "y",
  setMaxStackSize: "D",
  enableInterruptHandler: "Fa",
  newContext: "N",
  getUndefined: "E",
  newString: "_",
  getString: "$",
  evaluate: "pa",
  call: "ma",
  resolveException: "na",
};

/** The stack is between the static data and the heap. It grows downwards. */
export const STACK = { from: 90_240, to: 5_333_120 };
/** Address of the word in the static data that holds the address of the heap's end. */
export const HEAP_END_AT = 88_284;

const PAGE_BYTES = 65_536;
/** Memory size required by the binary. */
const INITIAL_PAGES = 256;

export async function compileQuickJs(): Promise<object> {
  const require = createRequire(import.meta.url);
  const file = require.resolve("@jitl/quickjs-wasmfile-release-sync/wasm");
  return WebAssembly.compile(await readFile(file));
}

/**
 * Starts the interpreter, with empty memory. It imports only memory and the interrupt handler: the clock stands still at
 * 1970, and there are no files and no environment.
 */
export function newInstance(module: object, maxBytes: number, mustStop: () => boolean): QuickJsInstance {
  const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: maxBytes / PAGE_BYTES });
  const { exports } = new WebAssembly.Instance(module, { a: importsOf(memory, mustStop) });
  const quickJs = Object.fromEntries(
    Object.entries(EXPORT_NAMES).map(([name, short]) => [name, exports[short]]),
  );
  return { memory, quickJs: quickJs as unknown as QuickJsFunctions };
}

export function wordAt({ buffer }: Memory, address: Address): number {
  return new DataView(buffer).getUint32(address, true);
}

/**
 * Throws if the layout of the binary differs from the description in this file: a wrong layout would restore
 * half a state.
 */
export function checkLayout({ memory, quickJs }: QuickJsInstance): void {
  const bytes = 4 * PAGE_BYTES;
  const before = wordAt(memory, HEAP_END_AT);
  const address = quickJs.malloc(bytes);
  const after = wordAt(memory, HEAP_END_AT);
  const isAsKnown = before === STACK.to && address >= before && after >= address + bytes;
  if (!isAsKnown) throw new Error("The memory of this version of QuickJS has an unknown layout.");
}

function importsOf(memory: Memory, mustStop: () => boolean) {
  const none = () => 0;
  const notProvided = () => {
    throw new Error("QuickJS has asked for something that it is not given.");
  };
  return {
    a: memory,
    b: notProvided, // assertion failed
    c: notProvided, // write to a file
    d: notProvided, // close a file
    e: none, // fill in the environment
    f: none, // size of the environment
    g: notProvided, // name of an imported module
    h: notProvided, // text of an imported module
    i: () => (mustStop() ? 1 : 0),
    j: notProvided, // set a timer
    k: (bytes: number) => (grows(memory, bytes) ? 1 : 0),
    l: notProvided, // end of the loader's life
    m: (_seconds: number, time: Address) => new Uint8Array(memory.buffer).fill(0, time, time + TIME_BYTES),
    n: none, // time zone: UTC
    o: notProvided, // seek in a file
    p: none, // time of day
    q: notProvided, // abort
    r: notProvided, // exit
    s: notProvided, // call a function of the host
    t: notProvided, // let go of an object of the host
  };
}

/** Size of a `struct tm`. QuickJS reads only the offset of a local time, which is 0. */
const TIME_BYTES = 44;

function grows(memory: Memory, bytes: number): boolean {
  const missing = (bytes >>> 0) - memory.buffer.byteLength;
  try {
    memory.grow(Math.ceil(missing / PAGE_BYTES));
    return true;
  } catch {
    return false;
  }
}

export interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** The part of the global object used here. The types of Node leave it to the browser's types. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => Memory;
  readonly Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
};

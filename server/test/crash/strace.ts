import { spawnSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** A moment of a system call of a traced process: the start, or the end with the result. */
export interface CallMoment {
  readonly name: string;
  readonly when: "begun" | "ended";
  /** The arguments as strace shows them, with texts and paths decoded: `7</tmp/a>, "hello", 5`. */
  readonly args: string;
  /** The first text among the arguments, as bytes. */
  readonly bytes: Buffer;
  /** All texts among the arguments. */
  readonly texts: readonly string[];
  /** The file behind the first argument or the result, if that is a descriptor. */
  readonly file: string | undefined;
  /** The result of a finished call; -1 if the call failed. */
  readonly result: number;
}

export const NEEDS_STRACE = "it needs strace: apt-get install strace";

export function hasStrace(): boolean {
  return spawnSync("strace", ["-V"]).status === 0;
}

/** All calls that change files or send data to processes. */
const CALLS = [
  "openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,link,linkat,symlink,symlinkat",
  "write,writev,pwrite64,pwritev,pwritev2,ftruncate,truncate,fallocate,copy_file_range,sendfile",
  "fsync,fdatasync,sync_file_range,syncfs,sendmsg,sendto,io_uring_enter",
].join(",");

/**
 * Returns the words to put before a command to trace it into a file, with full contents, paths of descriptors, and all
 * threads.
 */
export function traced(output: string): readonly string[] {
  return ["strace", "-f", "-y", "-xx", "-s", "1000000", "-e", `trace=${CALLS}`, "-o", output];
}

/** Reads the calls of all threads in chronological order. */
export async function* readTrace(output: string): AsyncGenerator<CallMoment> {
  const begun = new Map<string, { readonly name: string; readonly args: string }>();
  for await (const line of createInterface({ input: createReadStream(output, "latin1") })) {
    const [, thread, rest] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (thread === undefined || rest === undefined) continue;
    const resumed = /^<\.\.\. (\w+) resumed>(.*)$/.exec(rest);
    if (resumed) {
      const first = begun.get(thread);
      begun.delete(thread);
      if (first) yield moment(first.name, `${first.args}${resumed[2]!}`, "ended");
      continue;
    }
    const [, name, args] = /^(\w+)\((.*)$/.exec(rest) ?? [];
    if (name === undefined || args === undefined) continue;
    const whole = args.replace(/ *<unfinished \.\.\.>$/, "");
    yield moment(name, whole, "begun");
    if (whole === args) yield moment(name, args, "ended");
    else begun.set(thread, { name, args: whole });
  }
}

function moment(name: string, encoded: string, when: CallMoment["when"]): CallMoment {
  const texts = [...encoded.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map((match) => decoded(match[1]!));
  const args = encoded.replace(/(?:\\x[0-9a-f]{2})+/g, (hex) => decoded(hex).toString());
  const result = when === "ended" ? Number(/\)\s+= (-?\d+)/.exec(encoded)?.[1] ?? -1) : 0;
  const ofResult = /\)\s+= \d+<((?:\\x[0-9a-f]{2})+)>/.exec(encoded)?.[1];
  const ofFirst = /^\d+<((?:\\x[0-9a-f]{2})+)>/.exec(encoded)?.[1];
  const file = ofResult ?? ofFirst;
  return {
    name,
    when,
    args,
    bytes: texts[0] ?? Buffer.alloc(0),
    texts: texts.map(String),
    file: file === undefined ? undefined : decoded(file).toString(),
    result,
  };
}

function decoded(hex: string): Buffer {
  return Buffer.from(hex.replaceAll("\\x", ""), "hex");
}

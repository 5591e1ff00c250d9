import { type ChildProcess, spawn } from "node:child_process";
import { Refusal } from "#plumbing/errors";
import { maybeProgram } from "#plumbing/files/find-program";
import { PassingFault } from "#plumbing/passing-fault";
import { startProcess } from "#plumbing/start-process";
import { printable } from "#plumbing/text/printable";
import { Adler32 } from "#sources/data/adler32";
import type { ConnectionOptions } from "#sources/data/connections";
import { INPUT_WORDS, resolveHost, systemResolve } from "#sources/resolve-host";
import type { DataAnswer, DataQuestion } from "#workflow/data-source";
import { NO_XRDCP, shownAddress } from "#workflow/specification/remote-inputs";

/** The port of XRootD, if an address names none. */
const PORT = 1094;
const SAID_MAX = 10_000;
/** Seconds that the programs may take to connect and to wait for a reply. They would try for half an hour. */
const PATIENCE = {
  XRD_CONNECTIONWINDOW: "15",
  XRD_CONNECTIONRETRY: "2",
  XRD_REQUESTTIMEOUT: "120",
  XRD_STREAMTIMEOUT: "60",
};

/**
 * Asks a server of XRootD by its own programs, `xrdfs` and `xrdcp`. The host is checked like the host of any address. The
 * checked server may send the programs to another server that has the file.
 */
export async function askXrootd(options: ConnectionOptions, question: DataQuestion): Promise<DataAnswer> {
  const { input, knownAs, from } = question;
  const url = new URL(input.address);
  const host = {
    isHttps: false,
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port || PORT),
  };
  await resolveHost(host, options, options.resolve ?? systemResolve, INPUT_WORDS);
  if (from) return { kind: "changed" };
  const asking = {
    ...question,
    server: `${url.hostname}:${host.port}`,
    file: url.pathname.replace(/^\/+/, "/"),
  };
  const bytes = await sizeOf(asking);
  const checksum = await maybeChecksum(asking);
  const validator = checksum === undefined ? undefined : `adler32:${checksum}:${bytes}`;
  if (validator !== undefined && validator === knownAs) return { kind: "unchanged" };
  return {
    kind: "content",
    from: 0,
    bytes,
    validator,
    sha256: undefined,
    chunks: contentOf(asking, checksum),
  };
}

interface Asking extends DataQuestion {
  readonly server: string;
  readonly file: string;
}

async function sizeOf(asking: Asking): Promise<number> {
  const text = await outputOf(asking, "xrdfs", [asking.server, "stat", asking.file]);
  const [, size] = /^Size:\s+(\d+)$/m.exec(text) ?? [];
  if (size === undefined || /^Flags:.*\bIsDir\b/m.test(text))
    throw new Refusal("malformed", `${prefixOf(asking)}: it is not a file.`);
  return Number(size);
}

/** Returns the checksum that the server states. Not every server has checksums. */
async function maybeChecksum(asking: Asking): Promise<string | undefined> {
  try {
    const text = await outputOf(asking, "xrdfs", [asking.server, "query", "checksum", asking.file]);
    return /^adler32 ([0-9a-f]{1,8})\s*$/m.exec(text)?.[1]?.padStart(8, "0");
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof PassingFault)) throw error;
    return undefined;
  }
}

async function* contentOf(asking: Asking, checksum: string | undefined): AsyncGenerator<Uint8Array> {
  const { child, ended } = await started(asking, "xrdcp", ["--silent", asking.input.address, "-"]);
  const sum = new Adler32();
  try {
    for await (const chunk of child.stdout) {
      sum.add(chunk as Buffer);
      yield chunk as Buffer;
    }
    await ended;
  } finally {
    child.kill("SIGKILL");
  }
  if (checksum !== undefined && sum.hex !== checksum)
    throw new PassingFault(
      `${prefixOf(asking)}: its bytes have the Adler-32 ${sum.hex}, and the server states ${checksum}.`,
    );
}

async function outputOf(asking: Asking, program: string, words: readonly string[]): Promise<string> {
  const { child, ended } = await started(asking, program, words);
  let text = "";
  for await (const chunk of child.stdout) if (text.length < SAID_MAX) text += String(chunk);
  await ended;
  return text;
}

async function started(asking: Asking, name: string, words: readonly string[]) {
  const { signal } = asking;
  signal.throwIfAborted();
  const program = maybeProgram(name);
  if (program === undefined) throw new Refusal("not-implemented", `${prefixOf(asking)}: ${NO_XRDCP}`);
  const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", LC_ALL: "C", ...PATIENCE };
  const child = await startProcess(() => spawn(program, words, { env, stdio: ["ignore", "pipe", "pipe"] }));
  const end = () => child.kill("SIGKILL");
  signal.addEventListener("abort", end, { once: true });
  const ended = endOf(child, asking).finally(() => signal.removeEventListener("abort", end));
  // The caller waits for the end after it has read the output.
  ended.catch(() => undefined);
  return { child, ended };
}

/** Resolves if the program succeeds. Throws the words of the server: a refusal if the server has answered. */
async function endOf(child: ChildProcess, asking: Asking): Promise<void> {
  let said = "";
  child.stderr!.on("data", (chunk: Buffer) => {
    if (said.length < SAID_MAX) said += String(chunk);
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  asking.signal.throwIfAborted();
  if (code === 0) return;
  const [, words] = /\[\d+\] ([^\n]*)/.exec(said) ?? [];
  if (words !== undefined) throw new Refusal("absent", `${prefixOf(asking)}: ${sentence(words)}`);
  throw new PassingFault(`${prefixOf(asking)}: ${sentence(said.replace(/^.*\[(?:FATAL|ERROR)\] /s, ""))}`);
}

function sentence(words: string): string {
  const line = printable(words.replace(/\(source\)|[\s\0]+/g, " ").trim(), 300);
  return `${line || "the program ended without a word"}.`;
}

function prefixOf({ input }: Pick<DataQuestion, "input">): string {
  return `${shownAddress(input.address)} could not be fetched`;
}

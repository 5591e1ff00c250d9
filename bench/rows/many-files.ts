import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { reanaClient } from "../support/reana-client.ts";
import { ratioInTurns } from "../support/rounds.ts";
import { removeFolder, startReprise, temporaryFolder, TOKEN } from "../support/server-process.ts";
import { atLeast, type Row } from "../support/table.ts";
import { createRun } from "../support/transfer.ts";

const ROOT = path.join(import.meta.dirname, "..", "..");
const FILES = 1000;
const FILE_BYTES = 100_000;
/** reana-client takes a good part of a minute for each round. */
const ROUNDS = 3;

/**
 * Measures the whole commands of both clients, from the shell's point of view, with the same server. Downloads stay
 * until the end: when ext4 creates a file soon after many deletions, it skips each deleted one first, a millisecond in
 * total.
 */
export async function manyFiles(): Promise<Row[]> {
  const folder = await temporaryFolder();
  await mkdir(path.join(folder, "data"));
  const names = Array.from({ length: FILES }, (_, index) => `data/${index}.bin`);
  for (const name of names) await writeFile(path.join(folder, name), randomBytes(FILE_BYTES));
  const server = await startReprise(path.join(folder, "server"));
  const run = commandsIn(folder, server.url);
  const up = await ratioInTurns(
    () => uploaded(server.url, run.theirs),
    () => uploaded(server.url, run.ours),
    ROUNDS,
  );
  const id = await createRun(server.url, TOKEN);
  await run.ours(["upload", "-w", id, "data"]);
  // reana-client downloads a folder as one archive, and single files only by name.
  const down = await ratioInTurns(
    () => downloaded(folder, (to) => run.theirs(["download", "-w", id, "-o", to, ...names])),
    () => downloaded(folder, (to) => run.ours(["download", "-w", id, "-o", to, "data"])),
    ROUNDS,
  );
  await server.stop();
  await removeFolder(folder);
  return [
    atLeast("upload of 1,000 files of 100 kB, times faster", "reana-client", up.ratio, 5, `${up.detail} ms`),
    atLeast("download of them, times faster", "reana-client", down.ratio, 5, `${down.detail} ms`),
  ];
}

type Command = (args: readonly string[]) => Promise<unknown>;

function commandsIn(cwd: string, url: string): Readonly<Record<"ours" | "theirs", Command>> {
  const program = path.join(ROOT, "server", "bin", "reprise.js");
  const environment = {
    ...process.env,
    REANA_SERVER_URL: url,
    REANA_ACCESS_TOKEN: TOKEN,
    // Cache folder for compiled code, warm as on a machine that has run the command before.
    XDG_CACHE_HOME: path.join(cwd, "cache"),
  };
  const run = (file: string, args: readonly string[]) =>
    promisify(execFile)(file, args, { cwd, env: environment, maxBuffer: 1 << 26 });
  return {
    ours: (args) => run(process.execPath, [program, ...args]),
    theirs: (args) => run(reanaClient(), args),
  };
}

async function uploaded(url: string, run: Command): Promise<number> {
  const id = await createRun(url, TOKEN);
  const ms = await timed(() => run(["upload", "-w", id, "data"]));
  const list = `${url}/api/workflows/${id}/workspace?access_token=${TOKEN}`;
  const { total } = (await (await fetch(list)).json()) as { total: number };
  if (total !== FILES) throw new Error(`${total} files have come and not ${FILES}.`);
  return ms;
}

async function downloaded(folder: string, run: (to: string) => Promise<unknown>): Promise<number> {
  const to = await mkdtemp(path.join(folder, "came-"));
  const ms = await timed(() => run(to));
  const { length } = await readdir(path.join(to, "data"));
  if (length !== FILES) throw new Error(`${length} files have come and not ${FILES}.`);
  return ms;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const beganAt = performance.now();
  await work();
  return performance.now() - beganAt;
}

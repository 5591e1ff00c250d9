import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { RepriseClient } from "reprise-sdk";
import { type Call, optionOf } from "#cli/call";
import { withReadingClient } from "#cli/connection/open-client";
import type { CliContext } from "#cli/context";
import { CommandError, UsageError } from "#cli/failure";
import { saveFile } from "#cli/files/save-file";
import { chosenRun, fullNameOf } from "#cli/run-address";
import { undoneByStop } from "#cli/terminal/stop-signals";
import { counted } from "#plumbing/text/counted";
import { shortSize } from "#plumbing/text/human-size";

/** Writes the crate of a run into a file, or with `--all` a crate of each run into a folder. */
export async function exportCrate(cli: CliContext, call: Call): Promise<void> {
  if (call.flags("all")) return exportAll(cli, call);
  const run = chosenRun(cli, call, call.args[0]);
  await withReadingClient(cli, call, async (client) => {
    const file = optionOf(call, "output") ?? `${await fullNameOf(client, run)}.crate.zip`;
    const bytes = await saveCrate(cli, client, call, { run, file });
    if (call.flags("json")) return cli.print(JSON.stringify({ crate: file, bytes }));
    cli.print(`Wrote ${file} (${shortSize(bytes)}).`);
  });
}

const ATTEMPTS = 3;

/** Saves a crate as it arrives. A crate whose connection broke is requested again from its beginning. */
function saveCrate(
  cli: CliContext,
  client: RepriseClient,
  call: Call,
  { run, file }: { readonly run: string; readonly file: string },
): Promise<number> {
  const more = { without_inputs: String(call.flags("withoutInputs")) };
  return saveFrom(cli, client, { address: crateAddress(call, run, more), file });
}

/** Returns the address of a crate, with the licence that the command names. */
export function crateAddress(call: Call, run: string, more: Readonly<Record<string, string>>): string {
  const license = optionOf(call, "license");
  const query = new URLSearchParams({ ...more, ...(license !== undefined && { license }) });
  return `/api/workflows/${encodeURIComponent(run)}/crate?${query.toString()}`;
}

/** A reply to save as a file. */
interface SavedReply {
  readonly address: string;
  readonly file: string;
  /** May refuse the reply by its headers. */
  readonly check?: (headers: Headers) => Promise<void>;
}

/** Saves what arrives from an address, completely or not at all. If the command is interrupted, no part is left. */
export function saveFrom(cli: CliContext, client: RepriseClient, wanted: SavedReply): Promise<number> {
  return undoneByStop(cli, async (stopped) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await saveOnce(client, wanted, stopped);
      } catch (error) {
        if (!(error instanceof Broken) || stopped.aborted) throw error;
        if (attempt < ATTEMPTS) continue;
        throw new CommandError(
          `The connection broke ${ATTEMPTS} times, so ${wanted.file} was not written. Try again.`,
          { cause: error },
        );
      }
    }
  });
}

async function saveOnce(
  client: RepriseClient,
  { address, file, check }: SavedReply,
  stopped: AbortSignal,
): Promise<number> {
  const reply = await client.send(address, { signal: stopped });
  await check?.(reply.headers).catch(async (error: unknown) => {
    await reply.body?.cancel();
    throw error;
  });
  return saveFile(file, arriving(reply));
}

class Broken extends Error {}

async function* arriving({ body }: Response): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body ?? []) yield chunk;
  } catch (cause) {
    throw new Broken("The connection broke.", { cause });
  }
}

/** A crate as the index of an export lists it. */
interface Exported {
  readonly name: string;
  readonly id: string;
  readonly status: string;
  readonly created: string;
  readonly file: string;
  readonly bytes: number;
}

const OVER = ["finished", "failed", "stopped"] as const;
const PAGE_SIZE = 100;

async function exportAll(cli: CliContext, call: Call): Promise<void> {
  if (call.args.length > 0) throw new UsageError("With --all, every run is exported: name no workflow.");
  const folder = optionOf(call, "output") ?? "crates";
  await mkdir(folder, { recursive: true });
  await withReadingClient(cli, call, async (client) => {
    const crates: Exported[] = [];
    for await (const { id, name, status, created } of endedRuns(client)) {
      const file = `${name}.crate.zip`;
      const bytes = await saveCrate(cli, client, call, { run: id, file: path.join(folder, file) });
      crates.push({ name, id, status, created, file, bytes });
      if (!call.flags("json")) cli.print(`Wrote ${path.join(folder, file)} (${shortSize(bytes)}).`);
    }
    // The index is written after all crates, so it lists only existing crates.
    await saveFile(path.join(folder, "index.json"), [
      Buffer.from(`${JSON.stringify({ crates }, null, 2)}\n`),
    ]);
    if (call.flags("json")) return cli.print(JSON.stringify({ folder, crates }));
    cli.print(`Exported ${counted(crates.length, "workflow")} to ${folder}, listed in index.json.`);
  });
}

/** Yields the runs that are over, each once, even if new runs move the pages. */
async function* endedRuns(client: RepriseClient) {
  const seen = new Set<string>();
  for (let page = 1; ; page += 1) {
    const query = { page, size: PAGE_SIZE, status: [...OVER] };
    const { data } = await client.GET("/api/workflows", { params: { query } });
    const { items, has_next: hasNext } = data as Exclude<typeof data, readonly unknown[] | undefined>;
    for (const run of items) {
      if (seen.has(run.id)) continue;
      seen.add(run.id);
      yield run;
    }
    if (!hasNext) return;
  }
}

import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { UnusableWorkflow } from "#app/cwl/runner-documents";
import { isAddress } from "#engines/documents";
import type { CwlModel } from "#engines/cwl/model/model";
import { filesIn, mapDeep, mapFiles } from "#engines/cwl/values/files";
import { messageOf } from "#plumbing/errors";

const FETCH_MAX_MS = 30 * 60_000;

/** Fetches the input files that are named by addresses, and returns the model with their places in a folder. */
export async function withDownloads(model: CwlModel, folder: string): Promise<CwlModel> {
  const addresses = addressesIn(model);
  if (addresses.length === 0) return model;
  const folderOf = namedFiles(model).find(
    (one) => one.class === "Directory" && isAddress(one.location ?? ""),
  );
  if (folderOf)
    throw new UnusableWorkflow([`${folderOf.location} is a Directory: only files can be fetched.`]);
  const places = new Map<string, string>();
  for (const [number, address] of addresses.entries())
    places.set(address, await download(address, path.join(folder, String(number))));
  const placed = (value: unknown) =>
    mapFiles(value, (file) =>
      mapDeep(
        file,
        (one) => ({ ...one, location: places.get(one.location ?? "") ?? one.location }) as typeof one,
      ),
    );
  return {
    ...model,
    job: placed(model.job) as CwlModel["job"],
    processes: placed(model.processes) as CwlModel["processes"],
  };
}

/** Returns the addresses of input files, each once. */
export function addressesIn(model: CwlModel): readonly string[] {
  const locations = namedFiles(model).map(({ location = "" }) => location);
  return [...new Set(locations.filter(isAddress))];
}

function namedFiles({ job, processes }: CwlModel) {
  return filesIn([job, processes], true);
}

async function download(address: string, folder: string): Promise<string> {
  const file = path.join(
    folder,
    decodeURIComponent(path.posix.basename(new URL(address).pathname)) || "file",
  );
  try {
    await mkdir(folder, { recursive: true });
    const reply = await fetch(address, { signal: AbortSignal.timeout(FETCH_MAX_MS) });
    if (!reply.ok || !reply.body) throw new Error(`the server answered ${reply.status}`);
    await pipeline(Readable.fromWeb(reply.body), createWriteStream(file));
    return file;
  } catch (error) {
    throw new UnusableWorkflow([`The input ${address} cannot be fetched: ${messageOf(error)}.`]);
  }
}

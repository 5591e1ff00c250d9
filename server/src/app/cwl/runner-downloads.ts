import { mkdir } from "node:fs/promises";
import path from "node:path";
import { UnusableWorkflow } from "#app/cwl/runner-documents";
import { fetchTo } from "#app/cwl/runner-web";
import { isAddress } from "#engines/documents";
import type { CwlModel } from "#engines/cwl/model/model";
import { filesIn, mapDeep, mapFiles } from "#engines/cwl/values/files";
import { messageOf } from "#plumbing/errors";
import { decodedUri } from "#plumbing/text/decoded-uri";

const FETCH_MAX_MS = 30 * 60_000;
const BYTES_MAX = 2 ** 38;

/** Fetches input files from their addresses, and returns the model with the local places of the files. */
export async function withDownloads(
  model: CwlModel,
  { folder, stop }: { readonly folder: string; readonly stop: AbortSignal },
): Promise<CwlModel> {
  const addresses = addressesIn(model);
  if (addresses.length === 0) return model;
  const folderOf = namedFiles(model).find(
    (one) => one.class === "Directory" && isAddress(one.location ?? ""),
  );
  if (folderOf)
    throw new UnusableWorkflow([`${folderOf.location} is a Directory: only files can be fetched.`]);
  const places = new Map<string, string>();
  for (const [number, address] of addresses.entries())
    places.set(address, await download(address, path.join(folder, String(number)), stop));
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

async function download(address: string, folder: string, stop: AbortSignal): Promise<string> {
  const name = decodedUri(path.posix.basename(new URL(address).pathname)).replaceAll(/[/\0]/g, "_");
  const file = path.join(folder, ["", ".", ".."].includes(name) ? "file" : name);
  try {
    await mkdir(folder, { recursive: true });
    await fetchTo(file, address, { maxBytes: BYTES_MAX, maxMs: FETCH_MAX_MS, stop });
    return file;
  } catch (error) {
    stop.throwIfAborted();
    throw new UnusableWorkflow([`An input cannot be fetched: ${messageOf(error)}`]);
  }
}

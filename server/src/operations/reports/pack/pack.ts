import type { Caller } from "#operations/context";
import { fullNameOf } from "#operations/full-name";
import { mayChange } from "#operations/permission";
import { allJobs } from "#operations/reports/all-jobs";
import {
  type PackedImages,
  PackProblem,
  type PackSources,
  type SupplyFile,
  type UsedImage,
} from "#operations/reports/pack/pack-sources";
import type { ReportServices } from "#operations/reports/services";
import type { RunServices } from "#operations/runs/services";
import { checkInputs } from "#operations/runs/verification/recorded-inputs";
import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import type { ZipEntry } from "#plumbing/zip/zip-writer";
import { oneDefinition, type Run } from "#store/runs/runs";

/** Folder of a crate with what is needed to run it again. */
const PACK_FOLDER = "ro-crate-pack";
/** Names of the script that runs a pack: the second one if the run has a file with the first. */
const STARTERS = ["run.sh", "ro-crate-run.sh"] as const;

export type PackContext = Pick<RunServices, "db" | "clock" | "workspaces"> & ReportServices;

/** Makes an entry of the zip whose checksum is noted. */
export type MakeEntry = (
  name: string,
  file: { readonly bytes: number; readonly mode: number },
  content: Iterable<Buffer> | AsyncIterable<Buffer>,
) => ZipEntry;

/** An output with the checksum that a new run is compared by. */
export interface ComparedOutput {
  readonly path: string;
  readonly sha256: string;
}

/** The additions that turn the crate of a run into a pack that runs. */
export interface Pack {
  /** Upper bound for everything in it but the texts. */
  readonly bytes: number;
  /** Name of the script that runs the pack. */
  readonly starter: string;
  entries(entry: MakeEntry, outputs: readonly ComparedOutput[]): AsyncGenerator<ZipEntry>;
}

/** A file of the run, as far as the pack must know it. */
export interface RunFile {
  readonly path: string;
  readonly bytes: number;
  readonly isGiven: boolean;
  /** Why the crate cannot hold the file. */
  readonly reason: string | undefined;
}

/** Checks whether a run can be packed, and finds the contents of its pack. Writes nothing. */
export async function openPack(
  context: PackContext,
  caller: Caller,
  run: Run,
  files: AsyncIterable<RunFile>,
): Promise<Pack> {
  await checkInputs(context, run, await oneDefinition(context.db, run.id), "packed");
  const images = await findImages(context, caller, run);
  const program = (await context.packing.maybeProgram()) ?? [];
  let bytes = [...program, ...(images ? [images] : [])].reduce((sum, one) => sum + one.bytes, 0);
  const taken = new Set<string>();
  for await (const file of files) {
    if (file.isGiven && file.reason !== undefined) throw withoutInput(run, file);
    taken.add(file.path);
    bytes += file.bytes;
  }
  const starter = STARTERS.find((name) => !taken.has(name)) ?? STARTERS[0];
  return {
    bytes,
    starter,
    entries: (entry, outputs) =>
      entriesOf({ images, program, starter, script: context.packing.starter }, entry, outputs),
  };
}

function withoutInput(run: Run, { path, reason }: RunFile): Refusal {
  return new Refusal(
    "conflict",
    `Workflow ${fullNameOf(run)} cannot be packed, because it would not run without ${printable(path, 200)}. ${reason}`,
  );
}

/** Images may come from a registry that only the owner may read. */
async function findImages(
  { db, packing }: PackContext,
  caller: Caller,
  run: Run,
): Promise<PackedImages | undefined> {
  const used = new Map<string, UsedImage>();
  for await (const { image, imageDigest: digest } of allJobs(db, run.id))
    if (image !== null && digest !== null) used.set(`${image} ${digest}`, { image, digest });
  if (used.size === 0) return undefined;
  if (!mayChange(caller, run)) throw onlyByOwner(run);
  try {
    return await packing.images([...used.values()]);
  } catch (error) {
    if (!(error instanceof PackProblem)) throw error;
    throw new Refusal("conflict", `Workflow ${fullNameOf(run)} cannot be packed: ${error.message}.`, {
      cause: error,
    });
  }
}

function onlyByOwner(run: Run): Refusal {
  return new Refusal(
    "forbidden",
    `Workflow ${fullNameOf(run)} ran in images, so only its owner can pack it. Export it as a crate without them.`,
    { errorCode: "shared-to-read" },
  );
}

interface Supplies {
  readonly images: PackedImages | undefined;
  readonly program: readonly SupplyFile[];
  readonly starter: string;
  readonly script: PackSources["starter"];
}

async function* entriesOf(
  { images, program, starter, script }: Supplies,
  entry: MakeEntry,
  outputs: readonly ComparedOutput[],
): AsyncGenerator<ZipEntry> {
  const text = (name: string, content: string, mode = 0o644) => {
    const bytes = Buffer.from(content);
    return entry(name, { bytes: bytes.length, mode }, [bytes]);
  };
  yield text(starter, await script(), 0o755);
  yield text(`${PACK_FOLDER}/outputs.sha256`, outputs.map(sumLine).join(""));
  for (const { name, content, ...about } of program)
    yield entry(`${PACK_FOLDER}/reprise/${name}`, about, content());
  if (!images) return;
  const list = images.images.map(({ id, name }) => `${id} ${name}\n`).join("");
  yield text(`${PACK_FOLDER}/images.txt`, list);
  yield entry(`${PACK_FOLDER}/images.tar`, { bytes: images.bytes, mode: 0o644 }, images.save());
}

/** Writes a line as `sha256sum` does, which escapes names with a newline or a backslash. */
function sumLine({ path, sha256 }: ComparedOutput): string {
  const name = path.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return `${name === path ? "" : "\\"}${sha256}  ${name}\n`;
}

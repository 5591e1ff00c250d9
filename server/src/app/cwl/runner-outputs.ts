import { constants, copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import { type LinkOptions, openTarget } from "#cli/files/leaving-links";
import { codeOf } from "#plumbing/errors";
import { closing } from "#plumbing/files/open-folder";
import { systemRandom } from "#plumbing/ids";
import { inPlainWords } from "#plumbing/files/walk-inside";
import { basenameOf, type FileValue, mapFiles } from "#engines/cwl/values/files";
import { isLiteral } from "#engines/cwl/values/present";

type Values = Readonly<Record<string, unknown>>;

export interface OutputPlaces extends LinkOptions {
  /** The workspace. Locations are relative to this folder. */
  readonly workspaceFolder: string;
  readonly outdir: string;
  /** True if the files of the run stay where they are, for later runs. */
  readonly keepsFiles: boolean;
}

/** Moves the outputs of a run to their folder, and returns the output object with the new places. */
export async function placeOutputs(values: Values, places: OutputPlaces): Promise<Values> {
  await mkdir(places.outdir, { recursive: true });
  const work: (() => Promise<void>)[] = [];
  const mover = new Mover(places, work);
  const placed = mapFiles(values, (file) => mover.place(file, places.outdir)) as Values;
  for (const one of work) await one();
  return placed;
}

class Mover {
  readonly #places: OutputPlaces;
  readonly #work: (() => Promise<void>)[];
  readonly #taken = new Set<string>();
  /** Final places of files, by wanted place and location. */
  readonly #known = new Map<string, string>();
  /**
   * The first place of each file that the run made: the file is moved once, and later copied from this place.
   */
  readonly #moved = new Map<string, string>();

  constructor(places: OutputPlaces, work: (() => Promise<void>)[]) {
    this.#places = places;
    this.#work = work;
  }

  place(file: FileValue, folder: string): FileValue {
    const wanted = path.join(folder, basenameOf(file) || "output");
    // Two outputs may be the same file: the file is brought once, under one name.
    const known = isLiteral(file) ? undefined : this.#known.get(`${wanted} ${file.location!}`);
    const at = known ?? this.#free(wanted);
    if (!isLiteral(file)) this.#known.set(`${wanted} ${file.location!}`, at);
    const secondaryFiles = file.secondaryFiles?.map((one) => this.place(one, folder));
    const { contents: _, ...bare } = file;
    const made: FileValue = {
      ...(bare as FileValue),
      location: pathToFileURL(at).href,
      path: at,
      basename: basenameOf(file) || path.basename(at),
      ...(secondaryFiles && { secondaryFiles }),
    };
    if (file.class === "Directory") return this.#folder(file, made, at);
    if (isLiteral(file)) return this.#literal(file.contents ?? "", made, at);
    if (known === undefined) this.#work.push(() => this.#bring(file.location!, at));
    return made;
  }

  #folder(file: FileValue, made: FileValue, at: string): FileValue {
    this.#work.push(() => this.#inPlace(at, async (place) => void (await mkdir(place, { recursive: true }))));
    return { ...made, listing: (file.listing ?? []).map((one) => this.place(one, at)) };
  }

  #literal(text: string, made: FileValue, at: string): FileValue {
    this.#work.push(() =>
      this.#inPlace(at, (place) => putInto(place, (part) => writeFile(part, text, { flag: "wx" }))),
    );
    const digest = createHash("sha1").update(text).digest("hex");
    return { ...made, size: Buffer.byteLength(text), checksum: `sha1$${digest}` };
  }

  /** Moves a file that the run made, unless the run's files are kept. Copies any other file. */
  async #bring(location: string, at: string): Promise<void> {
    const isOurs = !location.startsWith("/");
    const isMoved = isOurs && !this.#places.keepsFiles;
    const from = isOurs ? path.join(this.#places.workspaceFolder, location) : location;
    const earlier = this.#moved.get(from);
    if (!isMoved || earlier !== undefined) {
      if (path.resolve(from) !== at) await this.#inPlace(at, (place) => putCopy(earlier ?? from, place));
      return;
    }
    this.#moved.set(from, at);
    await this.#inPlace(at, (place) => moveTo(place, from));
  }

  /**
   * Opens the folder of a place, after making a missing folder, and calls `work` with a path for the place.
   */
  async #inPlace(at: string, work: (place: string) => Promise<void>): Promise<void> {
    const { outdir } = this.#places;
    const { parent, name } = await openTarget(outdir, path.relative(outdir, at), this.#places);
    await closing(parent, async () => {
      try {
        await work(parent.at(name).toString());
      } catch (error) {
        throw await inPlainWords(error, parent);
      }
    });
  }

  #free(wanted: string): string {
    let at = wanted;
    const { dir, name, ext } = path.parse(wanted);
    for (let number = 2; this.#taken.has(at); number += 1) at = path.join(dir, `${name}_${number}${ext}`);
    this.#taken.add(at);
    return at;
  }
}

async function moveTo(place: string, from: string): Promise<void> {
  try {
    await rename(from, place);
  } catch (error) {
    if (codeOf(error) !== "EXDEV") throw error;
    await putCopy(from, place);
  }
}

function putCopy(from: string, place: string): Promise<void> {
  return putInto(place, (part) => copyFile(from, part, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE));
}

/**
 * Makes a file under another name first, so that a link at the place is replaced and never written through.
 */
async function putInto(place: string, fill: (part: string) => Promise<void>): Promise<void> {
  const part = path.join(path.dirname(place), `.reprise-${systemRandom.uuid()}.part`);
  try {
    await fill(part);
    await rename(part, place);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

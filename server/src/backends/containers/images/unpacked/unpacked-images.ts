import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import process from "node:process";
import { type LayoutImage, layoutImage } from "#backends/containers/images/unpacked/oci-layout";
import type { LocalImage } from "#backends/containers/images/local-image";
import { runProgram } from "#backends/containers/run-program";
import type { Runtime } from "#backends/containers/runtime";
import { maybeJson } from "#plumbing/formats/json";

/**
 * The images of Apptainer on this machine, as unpacked folders, which need no FUSE. `images/ID` holds an image and the facts
 * about it, and `names/NAME` the id of the image that has the name.
 */
type Store = Pick<Runtime, "storage">;

const IMAGES = "images";
const NAMES = "names";

/** Returns the folder with the root file system of an image. */
export function rootOfImage({ storage }: Store, id: string): string {
  return path.join(storage, IMAGES, id, "root");
}

/** Returns the image with the name or the id. */
export function maybeStored(store: Store, name: string): LocalImage | undefined {
  const id = maybeRead(nameFile(store, name)) ?? name;
  return /^[0-9a-f]{64}$/.test(id) ? storedIn(store, id, namesIn(store)) : undefined;
}

export function allStored(store: Store): readonly LocalImage[] {
  const folder = path.join(store.storage, IMAGES);
  const names = namesIn(store);
  const ids = existsSync(folder) ? readdirSync(folder).toSorted() : [];
  return ids.flatMap((id) => storedIn(store, id, names) ?? []);
}

function storedIn({ storage }: Store, id: string, names: Names): LocalImage | undefined {
  const facts = maybeJson(maybeRead(path.join(storage, IMAGES, id, "facts.json")) ?? "");
  if (facts === undefined) return undefined;
  const own = names.filter(([, of]) => of === id).map(([name]) => name);
  const [digestNames, tags] = [true, false].map((is) => own.filter((name) => name.includes("@") === is));
  return { ...(facts as LocalImage), id, names: tags!, digestNames: digestNames!, formerNames: [] };
}

type Names = readonly (readonly [string, string])[];

function namesIn({ storage }: Store): Names {
  const folder = path.join(storage, NAMES);
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files.map((file) => [decodeURIComponent(file), maybeRead(path.join(folder, file)) ?? ""]);
}

function nameFile({ storage }: Store, name: string): string {
  return path.join(storage, NAMES, encodeURIComponent(name));
}

function maybeRead(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // absent, or a name that is too long for a file, which no image has
  }
}

/** Gives a name to an image. Another image loses the name. */
export function nameStored(store: Store, id: string, name: string): void {
  mkdirSync(path.join(store.storage, NAMES), { recursive: true, mode: 0o700 });
  const file = nameFile(store, name);
  const part = path.join(store.storage, `${process.pid}-${path.basename(file)}`.slice(0, 250));
  writeFileSync(part, id);
  renameSync(part, file);
}

/** A folder in which Apptainer unpacks an image. */
export interface Unpacking {
  readonly root: string;
  /** The variables of the program that unpacks. */
  readonly environment: Readonly<Record<string, string>>;
  /** Adds the unpacked image to the images of this machine. Throws if the program has left no image. */
  keep(
    names: readonly string[],
    known?: { readonly digest?: string | undefined; readonly facts?: LayoutImage },
  ): LocalImage;
  close(): Promise<void>;
}

/** Makes a folder for unpacking. Its cache holds one image, so that the digest of the image can be read. */
export function beginUnpacking(store: Store): Unpacking {
  mkdirSync(path.join(store.storage, IMAGES), { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(path.join(store.storage, "part-"));
  const cache = path.join(folder, "cache");
  const image = path.join(folder, "image");
  mkdirSync(image);
  return {
    root: path.join(image, "root"),
    environment: { APPTAINER_CACHEDIR: cache, APPTAINER_TMPDIR: folder },
    keep(names, known = {}) {
      const facts = known.facts ?? layoutImage(path.join(cache, "cache/blob"));
      const id = facts.digest.replace("sha256:", "");
      const kept = { ...facts, digest: known.digest ?? facts.digest };
      writeFileSync(path.join(image, "facts.json"), JSON.stringify(kept));
      const place = path.join(store.storage, IMAGES, id);
      // Another server may have unpacked the same image at the same time.
      if (!existsSync(path.join(place, "facts.json"))) renameSync(image, place);
      for (const name of names) nameStored(store, id, name);
      return maybeStored(store, id)!;
    },
    close: () => removeFolder(folder),
  };
}

/** Removes names of an image, and the image with its last name. */
export async function removeStored(store: Store, id: string, names: readonly string[]): Promise<void> {
  for (const name of names) rmSync(nameFile(store, name), { force: true });
  const left = maybeStored(store, id);
  if (left && left.names.length > 0) return;
  for (const name of left?.digestNames ?? []) rmSync(nameFile(store, name), { force: true });
  // Without its facts the image is absent at once.
  rmSync(path.join(store.storage, IMAGES, id, "facts.json"), { force: true });
  await removeFolder(path.join(store.storage, IMAGES, id));
}

/** Images may hold folders that their owner may not change. */
async function removeFolder(folder: string): Promise<void> {
  await runProgram(["chmod", "-R", "u+rwX", folder], { timeoutMs: null });
  await runProgram(["rm", "-rf", folder], { timeoutMs: null });
}

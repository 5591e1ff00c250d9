import { createHash } from "node:crypto";
import path from "node:path";
import { basenameOf, type FileValue, mapFiles } from "#engines/cwl/values/files";
import { isLiteral } from "#engines/cwl/values/present";
import type { FileAsk, Literal, Publication } from "#engines/engine";

type Values = Readonly<Record<string, unknown>>;

/** The folder of the workspace that the outputs of a run are published in, as REANA does. */
const OUTPUTS = "outputs";
/** Maximum number of files in one ask. */
const FILES_PER_ASK = 1000;

export interface Publishing {
  /** The outputs, with locations in the folder of results. */
  readonly values: Values;
  readonly files: readonly Publication[];
  readonly literals: readonly Literal[];
}

/** Gives each output a place in the folder of results. Files with equal names keep the name, in different places. */
export function publishing(values: Values): Publishing {
  const files: Publication[] = [];
  const literals: Literal[] = [];
  const taken = new Set<string>();
  const known = new Map<string, string>();
  const place = (file: FileValue, folder: string): FileValue => {
    const wanted = `${folder}/${basenameOf(file) || "output"}`;
    // Two outputs may be the same file: its name is kept, and the file is published once.
    const key = isLiteral(file) ? undefined : `${wanted} ${file.location!}`;
    const earlier = key === undefined ? undefined : known.get(key);
    const at = earlier ?? free(wanted, taken);
    if (key !== undefined) known.set(key, at);
    const basename = basenameOf(file) || path.posix.basename(at);
    const secondaryFiles = file.secondaryFiles?.map((one) => place(one, folder));
    const others = { ...file, location: at, basename, ...(secondaryFiles && { secondaryFiles }) };
    if (file.class === "Directory")
      return { ...others, listing: (file.listing ?? []).map((one) => place(one, at)) };
    if (!isLiteral(file)) {
      if (earlier === undefined) files.push({ from: file.location!, to: at });
      return others;
    }
    const { contents = "", ...bare } = others as FileValue;
    literals.push({ path: at, text: contents });
    const digest = createHash("sha1").update(contents).digest("hex");
    return { ...bare, size: Buffer.byteLength(contents), checksum: `sha1$${digest}` };
  };
  return { values: mapFiles(values, (file) => place(file, OUTPUTS)) as Values, files, literals };
}

/** Returns the asks of a plan. `nextId` makes the id of each ask. */
export function publishingAsks(
  { files, literals }: Publishing,
  nextId: (what: string, number: number) => string,
): FileAsk[] {
  const published = chunks(files).map((some, index): FileAsk => ({
    do: "publish",
    id: nextId("publish", index),
    files: some,
    algorithm: "sha1",
  }));
  const written = chunks(literals).map((some, index): FileAsk => ({
    do: "write",
    id: nextId("write", published.length + index),
    files: some,
  }));
  return [...published, ...written];
}

function chunks<Item>(items: readonly Item[]): (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / FILES_PER_ASK) }, (_, index) =>
    items.slice(index * FILES_PER_ASK, (index + 1) * FILES_PER_ASK),
  );
}

function free(wanted: string, taken: Set<string>): string {
  let at = wanted;
  for (let number = 2; taken.has(at); number += 1) {
    const dot = wanted.lastIndexOf(".");
    const isExtension = dot > wanted.lastIndexOf("/") + 1;
    at = isExtension ? `${wanted.slice(0, dot)}_${number}${wanted.slice(dot)}` : `${wanted}_${number}`;
  }
  taken.add(at);
  return at;
}

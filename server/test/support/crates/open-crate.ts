import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { Readable } from "node:stream";
import { readZip } from "#plumbing/zip/zip-reader";

export interface CrateEntity {
  readonly "@id": string;
  readonly "@type": string | readonly string[];
  readonly [property: string]: unknown;
}

/** Unpacks the zip of a crate in memory. */
export async function openCrate(zip: Buffer) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-crate-"));
  try {
    const file = path.join(folder, "crate.zip");
    await writeFile(file, zip);
    const handle = await open(file);
    const files = new Map<string, Buffer>();
    for (const { name, content } of await readZip(handle, { maxEntries: 10_000 }))
      files.set(name, await buffer(Readable.from(content())));
    await handle.close();
    const { "@graph": graph } = JSON.parse(files.get("ro-crate-metadata.json")!.toString()) as {
      "@graph": CrateEntity[];
    };
    const entities = new Map(graph.map((entity) => [entity["@id"], entity]));
    const ofType = (type: string) => graph.filter((entity) => [entity["@type"]].flat().includes(type));
    return { files, graph, entities, ofType };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the ids that a property names. */
export function idsOf(value: unknown): string[] {
  return [value].flat().map((one) => (one as { "@id": string })["@id"]);
}

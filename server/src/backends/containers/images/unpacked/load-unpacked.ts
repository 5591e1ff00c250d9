import { createHash } from "node:crypto";
import { createReadStream, existsSync, openSync, readFileSync, readSync, closeSync, statSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { beginUnpacking } from "#backends/containers/images/unpacked/unpacked-images";
import { ImageProblem } from "#backends/containers/image-problem";
import { fullImageName, parseImageName } from "#backends/containers/images/image-name";
import type { LocalImage } from "#backends/containers/images/local-image";
import { failureOf, type RunOptions, runProgram } from "#backends/containers/run-program";
import type { Runtime } from "#backends/containers/runtime";
import { runtimeEnvironment } from "#backends/containers/runtime-environment";
import { maybeJson } from "#plumbing/formats/json";
import { printable } from "#plumbing/text/printable";
import { isObject } from "#workflow/specification/shape";

/** A part of an archive that Apptainer unpacks as one image. */
interface Source {
  readonly from: string;
  readonly names: readonly string[];
}

/** Unpacks the images of an archive, of a folder in the OCI layout, or of a SIF file. */
export async function loadStored(
  runtime: Runtime,
  place: string,
  limits: RunOptions,
): Promise<readonly LocalImage[]> {
  const isSif = isSifFile(place);
  const sources = isSif ? [{ from: place, names: [] }] : await sourcesIn(place);
  if (sources.length === 0)
    throw new ImageProblem(`apptainer has found no image in ${printable(place, 200)}.`);
  const loaded: LocalImage[] = [];
  for (const source of sources) loaded.push(await unpackOne(runtime, source, limits, isSif));
  return loaded;
}

async function unpackOne(runtime: Runtime, { from, names }: Source, limits: RunOptions, isSif: boolean) {
  const unpacking = beginUnpacking(runtime);
  try {
    const words = [runtime.program, "--silent", "build", "--sandbox", unpacking.root, from] as const;
    const environment = { ...runtimeEnvironment(), ...limits.environment, ...unpacking.environment };
    const result = await runProgram(words, { ...limits, environment });
    if (result.code !== 0)
      throw new ImageProblem(`apptainer could not load ${printable(from, 200)}: ${failureOf(result)}`);
    return unpacking.keep(names, isSif ? { facts: await factsOfSif(from) } : {});
  } finally {
    await unpacking.close();
  }
}

async function sourcesIn(place: string): Promise<readonly Source[]> {
  if (statSync(place).isDirectory()) {
    const index = path.join(place, "index.json");
    const text = existsSync(index) ? readFileSync(index, "utf8") : "";
    return [{ from: `oci:${place}`, names: layoutNames(maybeJson(text)) }];
  }
  const manifest = await maybeEntry(place, "manifest.json");
  if (!Array.isArray(manifest)) {
    const index = await maybeEntry(place, "index.json");
    return index === undefined ? [] : [{ from: `oci-archive:${place}`, names: layoutNames(index) }];
  }
  const tags = manifest.map((image) => (isObject(image) ? textsIn(image["RepoTags"]) : []));
  return tags.map((names, at) => ({
    from: `docker-archive:${place}${tags.length === 1 ? "" : `:${names[0] ?? `@${at}`}`}`,
    names: names.flatMap(fullName),
  }));
}

function layoutNames(index: unknown): readonly string[] {
  const manifests = isObject(index) && Array.isArray(index["manifests"]) ? index["manifests"] : [];
  return manifests.flatMap((one: unknown) => {
    const notes = isObject(one) && isObject(one["annotations"]) ? one["annotations"] : {};
    const name = notes["org.opencontainers.image.ref.name"];
    // Some programs write the tag alone.
    return typeof name === "string" && /[/:]/.test(name) ? fullName(name) : [];
  });
}

function fullName(text: string): readonly string[] {
  const name = parseImageName(text);
  return name ? [fullImageName(name)] : [];
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

async function maybeEntry(archive: string, name: string): Promise<unknown> {
  const words = ["tar", "--extract", "--to-stdout", "--file", archive, name] as const;
  const { code, stdout } = await runProgram(words, { timeoutMs: null });
  return code === 0 ? maybeJson(stdout) : undefined;
}

const SIF_MAGIC = "SIF_MAGIC";
const MAGIC_AT = 32;

/** Returns whether the file is an image in Apptainer's own format. */
export function isSifFile(file: string): boolean {
  if (!statSync(file).isFile()) return false;
  const fd = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(SIF_MAGIC.length);
    readSync(fd, bytes, 0, bytes.length, MAGIC_AT);
    return bytes.toString("latin1") === SIF_MAGIC;
  } finally {
    closeSync(fd);
  }
}

/** Returns the facts about a SIF file. Its digest is that of the file: Apptainer does not keep the image's own. */
async function factsOfSif(file: string) {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  return { digest: `sha256:${hash.digest("hex")}`, architecture, bytes: statSync(file).size, entrypoint: [] };
}

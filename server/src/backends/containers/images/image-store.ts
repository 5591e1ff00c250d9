import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { isSifFile, loadStored } from "#backends/containers/images/unpacked/load-unpacked";
import {
  allStored,
  maybeStored,
  nameStored,
  removeStored,
} from "#backends/containers/images/unpacked/unpacked-images";
import { checkArchive } from "#backends/containers/archives/check-archive";
import { ImageProblem } from "#backends/containers/image-problem";
import { type LocalImage, imagesIn } from "#backends/containers/images/local-image";
import { failureOf, type ProgramResult, type RunOptions, runProgram } from "#backends/containers/run-program";
import type { Runtime } from "#backends/containers/runtime";
import { runtimeEnvironment } from "#backends/containers/runtime-environment";
import { messageOf } from "#plumbing/errors";
import { startProcess } from "#plumbing/start-process";
import { printable } from "#plumbing/text/printable";

/** The images of a runtime, for an administrator: lists and changes the store of the runtime. */

const READ_TIMEOUT_MS = 60_000;
/** Limit on the images per `inspect` call, to keep the output short enough to read. */
const INSPECTED_AT_ONCE = 20;

/** Returns all images with a name, and all images that no other image is based on. */
export async function storedImages(runtime: Runtime): Promise<readonly LocalImage[]> {
  if (runtime.name === "apptainer") return allStored(runtime);
  const words = [runtime.program, "image", "ls", "--quiet", "--no-trunc"] as const;
  const listed = requireSuccess(
    await runProgram(words, { timeoutMs: READ_TIMEOUT_MS }),
    runtime,
    "list its images",
  );
  const ids = [...new Set(listed.stdout.split("\n").filter((line) => line !== ""))];
  const all: LocalImage[] = [];
  for (let at = 0; at < ids.length; at += INSPECTED_AT_ONCE)
    all.push(...(await inspect(runtime, ids.slice(at, at + INSPECTED_AT_ONCE))));
  return all;
}

/** Returns the existing images. */
export async function inspect(runtime: Runtime, names: readonly string[]): Promise<readonly LocalImage[]> {
  if (names.length === 0) return [];
  if (runtime.name === "apptainer") return names.flatMap((name) => maybeStored(runtime, name) ?? []);
  const words = [runtime.program, "image", "inspect", ...names] as const;
  return imagesIn((await runProgram(words, { timeoutMs: READ_TIMEOUT_MS })).stdout);
}

/** Podman derives a name from the folder's path, which must then be in lower case. */
const LOAD_FOLDER = 'set -o pipefail; tar -C "$1" -cf - . | "$2" load';

/**
 * Loads an archive made by `podman save` or `docker save`, or a folder in the OCI layout, and checks an
 * archive first. Returns the loaded images.
 */
export async function loadFrom(
  runtime: Runtime,
  source: string,
  limits: RunOptions = { timeoutMs: null },
): Promise<readonly LocalImage[]> {
  const shown = printable(source, 200);
  const found = statSync(source, { throwIfNoEntry: false });
  if (!found) throw new ImageProblem(`No such file or folder: ${shown}.`);
  const { program } = runtime;
  const place = path.resolve(source);
  const isSif = runtime.name === "apptainer" && isSifFile(place);
  if (!found.isDirectory() && !isSif) await requireSafe(place, shown);
  if (runtime.name === "apptainer") return loadStored(runtime, place, limits);
  const words = found.isDirectory()
    ? (["bash", "--norc", "-c", LOAD_FOLDER, "bash", place, program] as const)
    : ([program, "load", "--input", place] as const);
  const result = await runProgram(words, limits);
  const { stdout } = requireSuccess(result, runtime, `load ${shown}`);
  const names = namesLoaded(stdout);
  const images = await inspect(runtime, names);
  if (images.length === 0) throw new ImageProblem(`${runtime.name} has found no image in ${shown}.`);
  return [...new Map(images.map((image) => [image.id, image])).values()];
}

/** Yields an archive with these images, each layer once. Throws at its end if the runtime has failed. */
export async function* saveImages(runtime: Runtime, names: readonly string[]): AsyncGenerator<Buffer> {
  if (runtime.name === "apptainer")
    throw new ImageProblem("Apptainer cannot write images into an archive. Use podman or docker for it.");
  const several = runtime.name === "podman" ? ["--quiet", "--multi-image-archive"] : [];
  const child = await startProcess(() =>
    spawn(runtime.program, ["save", ...several, ...names], {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: "/",
      env: runtimeEnvironment(),
    }),
  );
  const ended = once(child, "close") as Promise<[code: number | null]>;
  const stderr = text(child.stderr);
  try {
    yield* child.stdout as AsyncIterable<Buffer>;
  } finally {
    // Without effect on a program that has ended.
    child.kill();
  }
  const [code] = await ended;
  requireSuccess({ code, stdout: "", stderr: await stderr }, runtime, "save the images");
}

async function requireSafe(archive: string, shown: string): Promise<void> {
  await checkArchive(archive).catch((error: unknown) => {
    throw new ImageProblem(`The archive ${shown} is not loaded: ${messageOf(error)}.`, { cause: error });
  });
}

/** Finds the names, or ids, in `Loaded image: localhost/fit:1` and its kin: `Loaded image(s): a,b`, `Loaded image ID: …`. */
function namesLoaded(printed: string): string[] {
  const lines = printed.split("\n").map((line) => /^Loaded image[^:]*:\s*(.+)$/.exec(line.trim())?.[1]);
  return lines.flatMap((names) => names?.split(",").map((name) => name.trim()) ?? []);
}

export async function tag(runtime: Runtime, { id }: Pick<LocalImage, "id">, name: string): Promise<void> {
  if (runtime.name === "apptainer") return nameStored(runtime, id, name);
  const result = await runProgram([runtime.program, "tag", id, name], { timeoutMs: READ_TIMEOUT_MS });
  requireSuccess(result, runtime, `give it the name ${name}`);
}

/**
 * Removes these names of an image, and the image with its last name. The runtime refuses if a container uses
 * the image.
 */
export async function removeImage(
  runtime: Runtime,
  { id, names }: Pick<LocalImage, "id" | "names">,
): Promise<void> {
  if (runtime.name === "apptainer") return removeStored(runtime, id, names);
  const words = [runtime.program, "image", "rm", ...(names.length === 0 ? [id] : names)] as const;
  const result = await runProgram(words, { timeoutMs: null });
  requireSuccess(result, runtime, `remove ${names[0] ?? id}`);
}

function requireSuccess(result: ProgramResult, { name }: Runtime, what: string): ProgramResult {
  if (result.code === 0) return result;
  throw new ImageProblem(`${name} could not ${what}: ${failureOf(result)}`);
}

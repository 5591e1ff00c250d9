import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { UnusableWorkflow } from "#app/cwl/runner-documents";
import { fetchTo } from "#app/cwl/runner-web";
import { endCommandsOf } from "#app/cwl/end-commands";
import { ImageProblem } from "#backends/containers/image-problem";
import { loadFrom } from "#backends/containers/images/image-store";
import { failureOf, runProgram } from "#backends/containers/run-program";
import { findRuntime, type Runtime } from "#backends/containers/runtime";
import type { CwlCall } from "#cli/context";
import { IMAGE_WAYS } from "#engines/cwl/command/mounts";
import { isAddress } from "#engines/documents";
import type { CwlModel, Requirement } from "#engines/cwl/model/model";
import { messageOf } from "#plumbing/errors";

const INSPECT_MAX_MS = 60_000;
const MAKE_MAX_MS = 30 * 60_000;
const FETCH_MAX_MS = 10 * 60_000;
const BYTES_MAX = 2 ** 36;

/**
 * Makes the missing images that documents load, build or import. Throws if podman does not work, or if the
 * run is stopped.
 */
export async function makeImages(model: CwlModel, { tell, stop }: Asking): Promise<void> {
  const wanted = requirementsIn(model).filter((one) => one.class === "DockerRequirement");
  if (wanted.length === 0) return;
  const runtime = await findRuntime("podman");
  if ("problem" in runtime) throw new UnusableWorkflow([`Unsupported: --podman: ${runtime.problem}`]);
  for (const requirement of wanted)
    for (const way of IMAGE_WAYS)
      if (typeof requirement[way] === "string")
        await makeImage(runtime, { way, source: requirement[way], requirement, tell, stop });
}

function requirementsIn({ processes, jobRequirements }: CwlModel): readonly Requirement[] {
  const steps = processes.flatMap((one) => (one.kind === "workflow" ? one.steps : []));
  return [
    ...jobRequirements,
    ...[...processes, ...steps].flatMap((one) => [...one.requirements, ...one.hints]),
  ];
}

type Asking = Pick<CwlCall, "tell" | "stop">;

interface Making extends Asking {
  readonly way: (typeof IMAGE_WAYS)[number];
  readonly source: string;
  readonly requirement: Requirement;
}

async function makeImage(runtime: Runtime, making: Making): Promise<void> {
  const { way, requirement, tell, stop } = making;
  const name = requirement["dockerImageId"] ?? requirement["dockerPull"];
  if (typeof name !== "string")
    throw new UnusableWorkflow([
      `DockerRequirement: \`${way}\` needs a \`dockerImageId\`, by which the image is run.`,
    ]);
  const known = await runProgram([runtime.program, "image", "exists", name], { timeoutMs: INSPECT_MAX_MS });
  if (known.code === 0) return;
  stop.throwIfAborted();
  tell(`Making the image ${name} (${way})`);
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-image-"));
  try {
    await make(runtime, making, name, folder);
    stop.throwIfAborted();
  } catch (error) {
    stop.throwIfAborted();
    if (!(error instanceof ImageProblem)) throw error;
    throw new UnusableWorkflow([`The image ${name} cannot be made (${way}): ${error.message}`]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function make(
  runtime: Runtime,
  { way, source, stop }: Making,
  name: string,
  folder: string,
): Promise<void> {
  const limits = { timeoutMs: MAKE_MAX_MS, stop, endGently: endCommandsOf };
  const run = async (...words: readonly string[]) => {
    const result = await runProgram([runtime.program, ...words], limits);
    if (result.code !== 0) throw new ImageProblem(failureOf(result));
  };
  switch (way) {
    case "dockerLoad":
      return void (await loadFrom(runtime, await fileOf(source, folder, stop), limits));
    case "dockerImport":
      return run("import", "--quiet", await fileOf(source, folder, stop), name);
    case "dockerFile": {
      const file = path.join(folder, "Dockerfile");
      await writeFile(file, source);
      return run("build", "--quiet", "--tag", name, "--file", file, folder);
    }
  }
}

/** Returns a file of this machine, fetched first if the source is an address. */
async function fileOf(source: string, folder: string, stop: AbortSignal): Promise<string> {
  if (!isAddress(source)) return path.resolve(source.replace(/^file:\/\//, ""));
  const file = path.join(folder, "image.tar");
  try {
    await fetchTo(file, source, { maxBytes: BYTES_MAX, maxMs: FETCH_MAX_MS, stop });
    return file;
  } catch (error) {
    stop.throwIfAborted();
    throw new UnusableWorkflow([`The image cannot be fetched: ${messageOf(error)}`]);
  }
}

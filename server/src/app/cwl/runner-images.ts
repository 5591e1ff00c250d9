import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { UnusableWorkflow } from "#app/cwl/runner-documents";
import { failureOf, runProgram } from "#backends/container/run-program";
import { findRuntime, type Runtime } from "#backends/container/runtime";
import { IMAGE_WAYS } from "#engines/cwl/command/mounts";
import { isAddress } from "#engines/documents";
import type { CwlModel, Requirement } from "#engines/cwl/model/model";

const INSPECT_MAX_MS = 60_000;
const MAKE_MAX_MS = 30 * 60_000;
const FETCH_MAX_MS = 10 * 60_000;

/** Makes the images that documents load, build or import, unless they are there. Throws if podman does not work. */
export async function makeImages(model: CwlModel, tell: (line: string) => void): Promise<void> {
  const wanted = requirementsIn(model).filter((one) => one.class === "DockerRequirement");
  if (wanted.length === 0) return;
  const runtime = await findRuntime("podman");
  if ("problem" in runtime) throw new UnusableWorkflow([`Unsupported: --podman: ${runtime.problem}`]);
  for (const requirement of wanted)
    for (const way of IMAGE_WAYS)
      if (typeof requirement[way] === "string")
        await makeImage(runtime, { way, source: requirement[way], requirement, tell });
}

function requirementsIn({ processes, jobRequirements }: CwlModel): readonly Requirement[] {
  const steps = processes.flatMap((one) => (one.kind === "workflow" ? one.steps : []));
  return [
    ...jobRequirements,
    ...[...processes, ...steps].flatMap((one) => [...one.requirements, ...one.hints]),
  ];
}

interface Making {
  readonly way: (typeof IMAGE_WAYS)[number];
  readonly source: string;
  readonly requirement: Requirement;
  readonly tell: (line: string) => void;
}

async function makeImage({ program }: Runtime, { way, source, requirement, tell }: Making): Promise<void> {
  const name = requirement["dockerImageId"] ?? requirement["dockerPull"];
  if (typeof name !== "string")
    throw new UnusableWorkflow([
      `DockerRequirement: \`${way}\` needs a \`dockerImageId\`, by which the image is run.`,
    ]);
  const known = await runProgram([program, "image", "exists", name], { timeoutMs: INSPECT_MAX_MS });
  if (known.code === 0) return;
  tell(`Making the image ${name} (${way})`);
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-image-"));
  try {
    const words = await wordsFor(way, source, name, folder);
    const made = await runProgram([program, ...words], { timeoutMs: MAKE_MAX_MS });
    if (made.code !== 0)
      throw new UnusableWorkflow([`The image ${name} cannot be made (${way}): ${failureOf(made)}`]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function wordsFor(
  way: Making["way"],
  source: string,
  name: string,
  folder: string,
): Promise<readonly string[]> {
  switch (way) {
    case "dockerLoad":
      return ["load", "--quiet", "--input", await fileOf(source, folder)];
    case "dockerImport":
      return ["import", "--quiet", await fileOf(source, folder), name];
    case "dockerFile": {
      const file = path.join(folder, "Dockerfile");
      await writeFile(file, source);
      return ["build", "--quiet", "--tag", name, "--file", file, folder];
    }
  }
}

/** Returns a file of this machine, fetched first if the source is an address. */
async function fileOf(source: string, folder: string): Promise<string> {
  if (!isAddress(source)) return path.resolve(source.replace(/^file:\/\//, ""));
  const reply = await fetch(source, { signal: AbortSignal.timeout(FETCH_MAX_MS) });
  if (!reply.ok || !reply.body)
    throw new UnusableWorkflow([`${source} cannot be read: the server answered ${reply.status}.`]);
  const file = path.join(folder, "image.tar");
  await writeFile(file, reply.body);
  return file;
}

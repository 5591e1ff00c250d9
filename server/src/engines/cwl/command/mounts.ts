import type { Workdir } from "#engines/cwl/command/initial-workdir";
import type { Effective } from "#engines/cwl/command/requirements";
import { outdirOf, outFolder, type ToolContext } from "#engines/cwl/command/tool-context";
import { filesIn } from "#engines/cwl/values/files";
import type { Mapping } from "#engines/cwl/model/json";
import { absolute, type Mounted } from "#engines/cwl/values/present";
import type { Job, Mount } from "#workflow/job/job";

/** Fields by which a document builds or loads an image without a registry. */
export const IMAGE_WAYS = ["dockerLoad", "dockerFile", "dockerImport"] as const;

/** Returns the image of a job: an image to pull, or the name of an image loaded, built or imported. */
export function imageOf(effective: Effective): string | null {
  const container: Mapping = effective["DockerRequirement"] ?? {};
  const isMade = IMAGE_WAYS.some((way) => container[way] !== undefined);
  const names = [container["dockerPull"], container["dockerImageId"]];
  const [image] = (isMade ? names.toReversed() : names).filter((name) => name !== undefined);
  return typeof image === "string" ? image : null;
}

/** Returns the working folder if the document names a path in the container for it. */
export function mountedFolder(context: ToolContext): readonly Mounted[] {
  const from = outFolder(context.folder);
  const at = outdirOf(context);
  return at === absolute(context.workspaceFolder, from) ? [] : [{ from, at }];
}

/** Returns the mounts of a container: inputs outside the workspace, and parts of the workspace at second places. */
export function mountsOf(
  context: ToolContext,
  inputs: Mapping,
  { stage, mounts }: Workdir,
): Pick<Job, "mounts"> {
  if (imageOf(context.effective) === null) return {};
  const sources = stage.flatMap((entry) =>
    "link" in entry ? [entry.link] : "copy" in entry ? [entry.copy] : [],
  );
  const given = filesIn(inputs, true).flatMap(({ location }) => location ?? []);
  const outside = new Set([...given, ...sources].filter((place) => place.startsWith("/")));
  const all: Mount[] = [
    ...mountedFolder(context).map((one): Mount => ({ ...one, mode: "write" })),
    ...mounts,
    ...[...outside].map((place): Mount => ({ from: place, at: place, mode: "read" })),
  ];
  return all.length > 0 ? { mounts: all } : {};
}

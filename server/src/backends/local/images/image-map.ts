import path from "node:path";
import { shortImageName } from "#backends/containers/images/image-name";
import { shellQuote } from "#plumbing/text/shell-quote";
import { matchesStars } from "#plumbing/text/star-pattern";
import type { Job } from "#workflow/job/job";

/** Software of this machine that replaces the container images of a pattern. */
export interface StandIn {
  /** The name of an image, in which `*` stands for any text. */
  readonly pattern: string;
  readonly by: Environment | Wrapper;
}

/** A folder of an environment, as made by conda or `python -m venv`: its `bin` comes first in the PATH of the job. */
interface Environment {
  readonly folder: string;
}

/** A program with arguments, to which the command is added: `/usr/bin/conda run --prefix /opt/fit`. */
interface Wrapper {
  readonly command: readonly string[];
}

export interface ImageSettings {
  /**
   * The meaning of an image's name here.
   *
   * - ignore: no meaning;
   * - map: the image's stand-in, if any;
   * - require: the image's stand-in. A job whose image has no stand-in is refused.
   */
  readonly mode: "ignore" | "map" | "require";
  readonly standIns: readonly StandIn[];
  /**
   * True if a command that requires an image runs without the image, because the administrator wants no
   * containers.
   */
  readonly runsWithout?: true;
}

/** Returns the stand-in of an image, by the first matching pattern. */
export function maybeStandIn({ mode, standIns }: ImageSettings, image: string | null): StandIn | undefined {
  if (image === null || mode === "ignore") return undefined;
  const names = namesOf(image);
  return standIns.find(({ pattern }) => names.some((name) => matchesStars(pattern, name)));
}

/** Returns why a job with this image is refused. */
export function standInProblem(settings: ImageSettings, image: string): string | undefined {
  if (settings.mode !== "require" || maybeStandIn(settings, image)) return undefined;
  return `No environment of this server stands in for the image ${image}. Its administrator can name one with --image-map.`;
}

/**
 * Returns why a command that requires this image is refused on a machine without containers. `reason` is a
 * sentence about the lack of containers.
 */
export function requiredImageProblem(
  settings: ImageSettings,
  image: string,
  reason: string,
): string | undefined {
  if (settings.runsWithout || settings.mode === "ignore" || maybeStandIn(settings, image)) return undefined;
  return (
    `This machine runs no containers: ${reason} Its administrator can also name an environment for the image ` +
    "with --image-map, or let such commands run without their images with --containers none."
  );
}

/** The names of one image: registry and folder of Docker's own images may be left out. */
function namesOf(image: string): readonly string[] {
  return [...new Set([image, shortImageName(image)])];
}

/** Returns the job as run in the environment. `searchPath` is the job's PATH outside the environment. */
export function inStandIn(job: Job, { by }: StandIn, searchPath: string): Job {
  if ("folder" in by) {
    const first = job.environment["PATH"] ?? searchPath;
    return { ...job, environment: { ...job.environment, PATH: `${path.join(by.folder, "bin")}:${first}` } };
  }
  const { command } = job;
  if ("argv" in command)
    return { ...job, command: { argv: [...by.command, ...command.argv] as [string, ...string[]] } };
  const words = [...by.command, "bash", "-c", command.script].map(shellQuote);
  return { ...job, command: { script: `exec ${words.join(" ")}` } };
}

/** Returns the first line of the log of a job that runs in an environment instead of its image. */
export function standInNotice(image: string, { by }: StandIn): string {
  const what = "folder" in by ? by.folder : by.command.join(" ");
  return `reprise: ${what} stands in for the image ${image}.\n`;
}

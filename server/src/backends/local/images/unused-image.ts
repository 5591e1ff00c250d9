import { featuresOutside } from "#backends/local/capabilities";
import { unenforced } from "#backends/unenforced";
import { readLogBytes } from "#backends/process/attempt/attempt-folder";
import { type ImageSettings, maybeStandIn } from "#backends/local/images/image-map";
import type { Wall } from "#backends/walls/wall";
import type { Job, JobEnd } from "#workflow/job/job";

/** The exit codes of shells for a missing program, and for a file that cannot be run. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

const LOG_END_BYTES = 4096;
const MISSING = /: ([A-Za-z0-9_./+-]{1,100}): command not found/g;

/** Adds the image's name and advice to an end that may be caused by the missing image. */
export async function withUnusedImage(
  folder: string,
  job: Job,
  end: JobEnd,
  { wall, images }: { readonly wall?: Wall | undefined; readonly images?: ImageSettings },
): Promise<JobEnd> {
  const image = unenforced(job, featuresOutside({ wall })).get("image");
  if (image === undefined || (images && maybeStandIn(images, job.image)) || end.reason !== "exited")
    return end;
  if (end.exitCode !== NOT_FOUND && end.exitCode !== NOT_EXECUTABLE) return end;
  const unused = `The step names ${image}; jobs run on this machine without it.`;
  if (end.exitCode === NOT_EXECUTABLE) return { ...end, detail: unused };
  const log = (await readLogBytes(folder, -LOG_END_BYTES, LOG_END_BYTES)).toString("latin1");
  const missing = [...log.matchAll(MISSING)].at(-1)?.[1];
  const program = missing === undefined ? "what the command needs" : `\`${missing}\``;
  return { ...end, detail: `${unused} Install ${program} here, or put its set-up into a first step.` };
}

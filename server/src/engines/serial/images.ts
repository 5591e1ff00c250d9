import type { PreviousRun, Stamped } from "#engines/engine";
import type { Plan, PlannedCommand } from "#engines/serial/plan";
import type { Difference } from "#workflow/job/decision";
import { type ImageChoice, imageFacts } from "#workflow/job/image-digest";

/** Returns the images in which the commands run, without duplicates. */
export function imagesOf({ commands }: Plan): readonly ImageChoice[] {
  const choices = commands.map(({ image, backend }) => ({ image, ...(backend && { backend }) }));
  return [...new Map(choices.map((choice) => [keyOf(choice), choice])).values()];
}

function keyOf({ image, backend }: ImageChoice): string {
  return JSON.stringify([image, backend?.name]);
}

/** Compares the image of a command with the image in which its job of the previous run finished. */
export type ImageComparison = (command: PlannedCommand) => readonly Difference[];

/** Compares the images of the previous run with the current images from `stamped`, looked up for `imagesOf(plan)`. */
export function compareImages(
  plan: Plan,
  { jobs }: PreviousRun,
  { images = [] }: Pick<Stamped, "images">,
): ImageComparison {
  const now = new Map(imagesOf(plan).map((choice, position) => [keyOf(choice), images[position]]));
  const finished = jobs.filter(({ status }) => status === "finished");
  const before = new Map(finished.map(({ key, imageDigest }) => [key, imageDigest]));
  return (command) => {
    const digest = before.get(command.key);
    return digest === undefined ? [] : imageFacts(digest, now.get(keyOf(command)));
  };
}

import { type Call, optionOf } from "#cli/call";
import type { CliContext } from "#cli/context";
import { CommandError, UsageError } from "#cli/failure";
import type { ImageAdmin, KnownImage } from "#cli/server/images/image-admin";
import { inColumns } from "#cli/terminal/columns";
import { localTime } from "#cli/terminal/times";
import { DAY_MS, toWireTime } from "#plumbing/clock";
import { shortSize } from "#plumbing/text/human-size";
import { printable } from "#plumbing/text/printable";

const NAME_MAX_LENGTH = 120;
/** `sha256:` and twelve digits, as the runtimes print ids. */
const DIGEST_LENGTH = 19;

/** Loads images from an archive or a folder, without a registry. */
export async function loadImages(cli: CliContext, call: Call): Promise<void> {
  const images = await cli.openImages(call.settings);
  const loaded = await images.load(call.args[0]!, optionOf(call, "as"));
  for (const { problem, ...image } of loaded)
    if (problem !== undefined) cli.printError(`Warning: no job can run in ${nameOf(image)}: ${problem}`);
  if (call.flags("json")) return cli.print(JSON.stringify(loaded.map(asJson)));
  for (const image of loaded) cli.print(`Loaded ${nameOf(image)} (${shortSize(image.bytes)}).`);
}

/** Lists the images of this machine, with the time when a job last ran in each. */
export async function listImages(cli: CliContext, call: Call): Promise<void> {
  const all = await (await cli.openImages(call.settings)).list();
  if (call.flags("json")) return cli.print(JSON.stringify(all.map(asJson)));
  const rows = all.map((image) => [
    nameOf(image),
    shortSize(image.bytes),
    image.digest.slice(0, DIGEST_LENGTH),
    useOf(cli, image),
  ]);
  const head = ["IMAGE", "SIZE", "DIGEST", `LAST USED (${cli.timeZone})`];
  for (const line of inColumns([head, ...rows], { right: [1] })) cli.print(line);
}

/** Removes images by name, or images used by past jobs and no longer in use. */
export async function removeImages(cli: CliContext, call: Call): Promise<void> {
  const days = daysOf(optionOf(call, "unusedDays"));
  if (call.args.length === 0 && days === undefined)
    throw new UsageError("Which images? Name them, or give --unused-days <number>.");
  const images = await cli.openImages(call.settings);
  const named = await Promise.all(call.args.map((name) => imageNamed(images, name)));
  const unused = days === undefined ? [] : unusedOf(await images.list(), cli.clock.now() - days * DAY_MS);
  const chosen = merged([...named, ...unused]);
  for (const image of chosen) {
    await images.remove(image);
    if (!call.flags("json")) cli.print(`Removed ${nameOf(image)} (${shortSize(image.bytes)}).`);
  }
  if (call.flags("json")) return cli.print(JSON.stringify(chosen.map(asJson)));
  if (chosen.length === 0) cli.print("No image has been unused for so long.");
}

/** Returns each image once, with all its chosen names. */
function merged(images: readonly KnownImage[]): readonly KnownImage[] {
  return Array.from(Map.groupBy(images, ({ id }) => id).values(), (same) => ({
    ...same[0]!,
    names: [...new Set(same.flatMap(({ names }) => names))],
  }));
}

function daysOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new UsageError(`--unused-days ${text}: it must be a number of days.`);
}

async function imageNamed(images: ImageAdmin, name: string): Promise<KnownImage> {
  const image = await images.maybeNamed(name);
  if (!image) throw new CommandError(`${images.runtime} has no image ${printable(name, NAME_MAX_LENGTH)}.`);
  if (!image.isWanted) return image;
  throw new CommandError(`${nameOf(image)} is not removed: a job that has not ended needs it.`);
}

/** An image that no job has used may belong to another program. It is removed only by name. */
function unusedOf(all: readonly KnownImage[], beforeMs: number): readonly KnownImage[] {
  return all.filter(
    ({ lastUsedAtMs, isWanted }) => !isWanted && lastUsedAtMs !== null && lastUsedAtMs < beforeMs,
  );
}

function nameOf({ names, id }: Pick<KnownImage, "names" | "id">): string {
  return printable(names.join(", ") || id, NAME_MAX_LENGTH);
}

function useOf(cli: CliContext, { lastUsedAtMs, isWanted }: KnownImage): string {
  if (isWanted) return "now";
  return lastUsedAtMs === null ? "-" : localTime(toWireTime(lastUsedAtMs), cli.timeZone);
}

function asJson({ id, names, digest, bytes, lastUsedAtMs, isWanted }: KnownImage) {
  const lastUsed = lastUsedAtMs === null ? null : toWireTime(lastUsedAtMs);
  return { id, names, digest, bytes, last_used: lastUsed, in_use: isWanted };
}

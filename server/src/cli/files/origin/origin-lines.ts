import type { OriginReply, TracedFile } from "#cli/files/origin/origin-reply";
import { localTime } from "#cli/terminal/times";
import { shortSize } from "#plumbing/text/human-size";
import { printable } from "#plumbing/text/printable";
import { doiAddress } from "#workflow/run/publication";

type OriginItem = OriginReply["items"][number];
type OriginChain = NonNullable<OriginReply["chain"]>;

const TEXT_MAX = 500;
const shown = (text: string) => printable(text, TEXT_MAX);

/** Returns what is known about a file and the files inside, for a person. */
export function originLines({ file, reply, inside, differences }: TracedFile, timeZone: string): string[] {
  return [
    ...linesOf(file, reply, timeZone),
    ...differences.map((difference) => row("nearest", difference)),
    ...inside.flatMap((one) => linesOf(`${file}: ${one.file}`, one.reply, timeZone)),
  ];
}

function linesOf(name: string, reply: OriginReply, timeZone: string): string[] {
  const [first, ...others] = reply.items;
  if (!first) return [notFound(name, reply)];
  return [
    headline(name, first),
    ...itemLines(first, timeZone),
    ...(reply.chain ? chainLines(reply.chain) : []),
    ...otherLines(others, reply.is_cut),
  ];
}

/** Returns the sentence for a content that no visible run has. */
function notFound(name: string, { pending_runs: pending }: OriginReply): string {
  const later =
    pending > 0 ? ` ${pending} of your ended runs are not indexed yet: ask again in a moment.` : "";
  return `${shown(name)}: no run that you may see has a file with this content.${later}`;
}

function headline(name: string, item: OriginItem): string {
  const run = item.workflow_name;
  const steps = item.made_by.map(({ label }) => shown(label));
  if (steps.length > 1) return `${shown(name)} was made in ${run} by one of its steps: ${steps.join(", ")}.`;
  if (steps.length === 1) return `${shown(name)} was made by ${steps[0]} of ${run}.`;
  if (item.role === "output")
    return `${shown(name)} is an output of ${run}; the step that made it is not known.`;
  return `${shown(name)} is an input of ${run}: no run that you may see made it.`;
}

const PRESENCE = {
  there: "still there",
  changed: "the file in the workspace has changed since",
  gone: "no longer in the workspace",
} as const;

function itemLines(item: OriginItem, timeZone: string): string[] {
  const ended =
    item.ended_at === null ? [] : [row("ended", `${localTime(item.ended_at, timeZone)} (${timeZone})`)];
  const size = item.bytes === null ? "" : ` (${shortSize(item.bytes)})`;
  return [
    ...(item.doubt === null ? [] : [`  ${shown(item.doubt)}`]),
    row("file", `${placeOf(item)}${size}, ${PRESENCE[item.presence]}`),
    ...ended,
    ...(item.doi === null ? [] : [row("DOI", doiOf(item.doi, item))]),
    ...item.made_by.flatMap((step) => [
      row("command", shown(step.display_command)),
      ...(step.image === null ? [] : [row("image", imageOf(step))]),
    ]),
    ...Object.entries(item.parameters).map(([key, value]) =>
      row("parameter", `${shown(key)} = ${shown(typeof value === "string" ? value : JSON.stringify(value))}`),
    ),
  ];
}

function doiOf(doi: string, { is_published: isPublished }: OriginItem): string {
  return `${shown(doiAddress(doi))}${isPublished ? "" : " (reserved for a draft that is not public)"}`;
}

function placeOf({ path, inside }: OriginItem): string {
  return inside === null ? shown(path) : `${shown(inside)} in ${shown(path)}`;
}

function imageOf({ image, image_digest: digest }: OriginItem["made_by"][number]): string {
  return digest === null ? `${shown(image!)} (ran without a container)` : `${shown(image!)} ${shown(digest)}`;
}

function row(word: string, text: string): string {
  return `  ${word.padEnd(WORD_WIDTH)}${text}`;
}

const WORD_WIDTH = 11;
/** Limit on the file names in one line. */
const NAMES_MAX = 8;

function chainLines({ files, steps, is_cut: isCut, is_declared: isDeclared }: OriginChain): string[] {
  const names = (places: readonly number[]) => listed(places.map((place) => shown(files[place]!.path)));
  const given = files.filter((file) => file.is_given).map(({ path }) => shown(path));
  return [
    "Made from:",
    ...steps.map((step) => {
      const reads = step.reads.length === 0 ? "no known file" : names(step.reads);
      return `  ${step.workflow_name} ${shown(step.label)}: ${names(step.writes)} <- ${reads}`;
    }),
    ...(given.length > 0 ? [`  No run made: ${listed([...new Set(given)])}.`] : []),
    ...(isDeclared
      ? []
      : ["  Serial steps do not declare what they read: all files that were there are named."]),
    ...(isCut ? ["  The chain goes on: only its first part is shown."] : []),
  ];
}

function listed(names: readonly string[]): string {
  const more = names.length - NAMES_MAX;
  return more > 0 ? `${names.slice(0, NAMES_MAX).join(", ")} and ${more} more` : names.join(", ");
}

const OTHERS_MAX = 5;

function otherLines(others: readonly OriginItem[], isCut: boolean): string[] {
  if (others.length === 0) return [];
  const named = others.slice(0, OTHERS_MAX).map((item) => {
    const doi = item.doi === null ? "" : `, DOI ${doiOf(item.doi, item)}`;
    return `${item.workflow_name} (${shown(item.path)}${doi})`;
  });
  const more = isCut || others.length > named.length ? " and more" : "";
  return [`The same content is in ${named.join(", ")}${more}.`];
}

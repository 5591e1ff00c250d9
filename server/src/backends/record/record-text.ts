import { humanSize } from "#plumbing/text/human-size";
import { END_REASONS, type EndReason, type JobEnd } from "#workflow/job/job";

/** Where and when the supervisor of a job claimed it. */
export interface Owner {
  readonly node: string;
  /** The number of the job in the cluster, as the node knows it. */
  readonly outsideId: string | undefined;
  readonly startedAtMs: number;
}

/** The claim of a record. `unknown` is a claim whose owner is not written, or not visible yet. */
export type Claim = Owner | "nobody" | "unknown" | "none";

/** Parses `claim/owner`. Undefined if it is incomplete. */
export function maybeOwner(text: string | undefined): Owner | "nobody" | undefined {
  if (text === "nobody\n") return "nobody";
  const fields = fieldsOf(text);
  const [node, outsideId, started] = ["node", "outside", "started"].map((name) => fields?.get(name));
  if (node === undefined || started === undefined) return undefined;
  return { node, outsideId: outsideId === "" ? undefined : outsideId, startedAtMs: Number(started) };
}

/** The fields of a file that a supervisor wrote, if it is whole: its last line is a dot. */
function fieldsOf(text: string | undefined): ReadonlyMap<string, string> | undefined {
  const lines = text?.split("\n");
  if (!lines || lines.at(-2) !== ".") return undefined;
  return new Map(
    lines.map((line) => {
      const at = line.indexOf(" ");
      return at === -1 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}

/** Facts about a killed job, from its record and its cluster. */
export interface EndContext {
  /** The text of `noted`: the reason, and the memory used in KiB. */
  readonly noted: string | undefined;
  readonly memoryBytes: number | undefined;
  /** Digest of the image in which the job ran. */
  readonly image: string | undefined;
  /** Why the cluster ended the job, if it said so. */
  readonly why?: string | undefined;
  /** The name of the cluster's software. */
  readonly place: string;
}

/** Parses the end of a job. Undefined if it is incomplete. */
export function maybeEnd(text: string | undefined, context: EndContext): JobEnd | undefined {
  const fields = fieldsOf(text);
  const endedAtMs = numberIn(fields?.get("ended"));
  if (!fields || endedAtMs === null) return undefined;
  const given = fields.get("reason") ?? "";
  const reason = given === ENDED_OUTSIDE ? "cancelled" : END_REASONS.find((one) => one === given);
  const detail = fields.get("detail") ?? detailOf(given, context);
  const cpuMs = cpuMsIn(text!);
  return {
    reason: reason ?? "lost",
    exitCode: reason === "exited" ? numberIn(fields.get("code")) : null,
    startedAtMs: numberIn(fields.get("started")),
    endedAtMs,
    ...(detail !== undefined && { detail }),
    ...(cpuMs !== undefined && { usage: { cpuMs } }),
    ...(context.image !== undefined && { imageDigest: context.image }),
  };
}

/** Returns the number of files that a job made, by its recorded end. */
export function madeCountIn(text: string): number {
  const fields = fieldsOf(text);
  return (fields?.get("reason") === "exited" ? numberIn(fields.get("made")) : null) ?? 0;
}

/** Returns the end of a job whose files never became visible, if that is the verdict about them. */
export function withVerdictOn(end: JobEnd, seen: string): JobEnd {
  if (!seen.startsWith(NOT_VISIBLE)) return end;
  return { ...end, reason: "outputs-not-visible", detail: seen.slice(NOT_VISIBLE.length).trim() };
}

/** Returns the text of the verdict that files of a job never became visible. */
export function notVisibleText(sentence: string): string {
  return `${NOT_VISIBLE}${sentence.replaceAll(/\s+/g, " ")}\n`;
}

const NOT_VISIBLE = "not-visible ";

/** The reason that the supervisor notes if the cluster ends the job. */
const ENDED_OUTSIDE = "ended-outside";

function detailOf(reason: string, { noted, memoryBytes, place, why }: EndContext): string | undefined {
  if (reason === ENDED_OUTSIDE)
    return (
      why ?? `${place} ended the job: somebody cancelled it there, or it reached a limit of its partition.`
    );
  const used = numberIn(noted?.trim().split(" ")[1]);
  if (reason !== "out-of-memory" || memoryBytes === undefined) return undefined;
  if (used === null) return `Out of memory: the kernel ended it at its limit of ${humanSize(memoryBytes)}.`;
  return `Out of memory: used ${humanSize(used * 1024)} of ${humanSize(memoryBytes)}.`;
}

/** Returns the text of an end that a server records, for a job without a supervisor. */
export function endText(end: {
  readonly reason: EndReason;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number;
  readonly detail?: string | undefined;
}): string {
  const { reason, startedAtMs, endedAtMs, detail } = end;
  const said = detail === undefined ? "" : `detail ${detail.replaceAll(/\s+/g, " ")}\n`;
  return `reason ${reason}\nstarted ${startedAtMs ?? "-"}\nended ${endedAtMs}\n${said}.\n`;
}

function numberIn(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** A line of `times`: the time as user and in the kernel. The second line is for the children of the shell. */
const TIMES = /^(\d{1,8})m(\d\d?[.,]\d{1,6})s (\d{1,8})m(\d\d?[.,]\d{1,6})s$/gm;

function cpuMsIn(text: string): number | undefined {
  const children = [...text.matchAll(TIMES)][1];
  if (!children) return undefined;
  const [userMin, user, kernelMin, kernel] = children.slice(1).map((one) => Number(one.replace(",", ".")));
  return Math.round(((userMin! + kernelMin!) * 60 + user! + kernel!) * 1000);
}

import { isUuid } from "#plumbing/ids";
import { printable } from "#plumbing/text/printable";

/**
 * A parsed reference to a run: `name`, `name.3`, `name.3.1` or its UUID. A number belongs to a run and never to a name,
 * so a name contains no dot.
 *
 * Names are ASCII. REANA would store `mérés`, but REANA and its clients then refuse every request that addresses the
 * workflow by name. Reprise refuses an unusable name at once, not afterwards.
 */
export type Address =
  | { readonly kind: "id"; readonly id: string }
  /** Without `run`, the address means the newest run of that name. */
  | { readonly kind: "name"; readonly name: string; readonly run?: RunNumber }
  | { readonly kind: "invalid"; readonly message: string };

export interface RunNumber {
  readonly major: number;
  readonly minor: number;
}

const MAX_NAME_BYTES = 255;
/** Nine digits: far more runs than a name will ever have, and an integer to every database. */
const RUN_NUMBER = /^([0-9]{1,9})(?:\.([0-9]{1,9}))?$/;
const CONTROL = /\p{Cc}/u;
const ASCII = /^\p{ASCII}*$/u;

/**
 * Splits at the first dot, as REANA does. If the rest is not a run number, the whole text is a name. No run
 * can have such a name, so the run is reported as absent.
 */
export function parseAddress(text: string): Address {
  if (isUuid(text)) return { kind: "id", id: text.toLowerCase() };
  const dot = text.indexOf(".");
  const name = dot === -1 ? text : text.slice(0, dot);
  const rest = dot === -1 ? "" : text.slice(dot + 1);
  if (name === "" || !ASCII.test(text) || CONTROL.test(text)) {
    return { kind: "invalid", message: `Workflow name ${shown(text)} is not valid.` };
  }
  if (rest === "") return { kind: "name", name };
  const number = RUN_NUMBER.exec(rest);
  if (number === null) return { kind: "name", name: text };
  return { kind: "name", name, run: { major: Number(number[1]), minor: Number(number[2] ?? 0) } };
}

/** `3`, and `3.1` for the first restart of run 3. */
export function runNumber(major: number, minor: number): string {
  return minor === 0 ? String(major) : `${major}.${minor}`;
}

/** `fit.3.1` */
export function fullName(name: string, major: number, minor: number): string {
  return `${name}.${runNumber(major, minor)}`;
}

/** Returns why a workflow cannot have this name, as one sentence. Undefined for a valid name. */
export function checkName(name: string): string | undefined {
  if (name === "") return "A workflow name cannot be empty.";
  if (isUuid(name)) return "Workflow name cannot be a valid UUIDv4.";
  if (CONTROL.test(name)) return `Workflow name ${shown(name)} contains a control character.`;
  for (const illegal of [".", "/"]) {
    if (name.includes(illegal)) return `Workflow name ${shown(name)} contains illegal character "${illegal}"`;
  }
  if (name.trim() !== name) return `Workflow name "${shown(name)}" begins or ends with white space.`;
  if (!ASCII.test(name))
    return `Workflow name ${shown(name)} is not valid: it may hold ASCII characters only.`;
  if (name.length > MAX_NAME_BYTES) {
    return `Workflow name ${shown(name)} is ${name.length} bytes long; at most ${MAX_NAME_BYTES} are possible.`;
  }
  return undefined;
}

function shown(name: string): string {
  return printable(name, 80);
}

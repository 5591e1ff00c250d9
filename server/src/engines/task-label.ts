import path from "node:path";
import { cutInMiddle } from "#plumbing/text/cut-in-middle";
import { printable } from "#plumbing/text/printable";

/** Names for the tasks of a scatter: a number, and a value that distinguishes the task. */

type Values = Readonly<Record<string, unknown>>;

/** Task of a scattered step. */
export interface ScatteredTask {
  /** From 1 on. */
  readonly number: number;
  /** Values given only to this task. */
  readonly values: Values;
  /** Values of other tasks with the same keys: the first and the last task suffice. Empty for a single task. */
  readonly others: readonly Values[];
}

/** Returns `fit · task 7 (s07.txt)`: the step, and the tasks of scattered steps from the outside in. */
export function taskLabel(step: string, tasks: readonly string[]): string {
  return [step, ...tasks].join(" · ");
}

/** Returns the step for a failure: `Step "fit", task 7 (s07.txt)`. */
export function taskInSentence(step: string, tasks: readonly string[]): string {
  return [`Step "${step}"`, ...tasks].join(", ");
}

/** Returns `task 7 (s07.txt)`, or `task 7` if no short value differs. */
export function taskWord({ number, values, others }: ScatteredTask): string {
  const value = tellingValue(values, others);
  return value === "" ? `task ${number}` : `task ${number} (${value})`;
}

const VALUES_SHOWN = 3;
const VALUE_LENGTH = 32;
const LONGEST = 60;

function tellingValue(values: Values, others: readonly Values[]): string {
  const shown = Object.entries(values).flatMap(([name, value]) => {
    const alike = others.map((other) => other[name]);
    if (others.length > 0 && alike.every((other) => isSame(other, value))) return [];
    const text = textOf(name, value, alike);
    return text === "" ? [] : [cutInMiddle(printable(text, 10 * LONGEST), VALUE_LENGTH)];
  });
  return cutInMiddle(shown.slice(0, VALUES_SHOWN).join(", "), LONGEST);
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function textOf(name: string, value: unknown, others: readonly unknown[]): string {
  if (typeof value === "string") return value.includes("/") ? endOfPath(value, others) : value;
  if (typeof value === "number" || typeof value === "boolean") return `${name}=${value}`;
  if (typeof value !== "object" || value === null) return "";
  if (Array.isArray(value)) return textOfList(name, value, others);
  const place = maybePlace(value);
  if (place !== undefined) return endOfPath(place, others.map(maybePlace));
  return tellingValue(value as Values, others.filter(isValues));
}

/** Returns the first item of a list, followed by `…` if more items follow. */
function textOfList(name: string, [first, ...rest]: readonly unknown[], others: readonly unknown[]): string {
  const firsts = others.map((other) => (Array.isArray(other) ? (other[0] as unknown) : undefined));
  const text = textOf(name, first, firsts);
  return rest.length === 0 || text === "" ? text : `${text} …`;
}

function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the path or the name of a file of CWL. */
function maybePlace(value: unknown): string | undefined {
  if (!isValues(value) || (value["class"] !== "File" && value["class"] !== "Directory")) return undefined;
  const [location, name] = [value["location"], value["basename"]];
  if (typeof name === "string")
    return typeof location === "string" ? path.posix.join(path.posix.dirname(location), name) : name;
  return typeof location === "string" ? location : undefined;
}

/** Maximum number of path components shown. Further components would show folders made by the engine. */
const COMPONENTS_MAX = 2;

/** Returns the shortest suffix of a path that differs from all others, or an empty text if no short suffix does. */
function endOfPath(value: string, others: readonly unknown[]): string {
  for (let count = 1; count <= COMPONENTS_MAX; count += 1) {
    const end = lastComponents(value, count);
    if (!others.some((other) => typeof other === "string" && lastComponents(other, count) === end))
      return end;
  }
  return "";
}

function lastComponents(value: string, count: number): string {
  return value.split("/").filter(Boolean).slice(-count).join("/");
}

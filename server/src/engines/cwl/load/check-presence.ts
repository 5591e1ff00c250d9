import { isAddress } from "#engines/documents";
import type { Reader } from "#engines/cwl/documents/reader";
import type { InputParameter } from "#engines/cwl/model/model";
import { mismatch } from "#engines/cwl/values/conform";
import { isFileValue } from "#engines/cwl/values/files";
import { isMapping, type Mapping } from "#engines/cwl/model/json";

/** Returns the kind of entry at an absolute path of the machine. */
export type KindOf = (path: string) => "file" | "folder" | "nothing";

/** Inputs as written, and as parsed. */
export interface Written {
  readonly written: Mapping;
  readonly values: Mapping;
}

/** Refuses all non-nullable inputs without a value or a default. */
export function refuseMissing(reader: Reader, inputs: readonly InputParameter[], values: Mapping): void {
  for (const { name, type, default: fallback } of inputs) {
    const value = values[name] ?? fallback ?? null;
    const reason = value === null ? mismatch(null, type) : undefined;
    if (reason === undefined) continue;
    const message = `The input \`${name}\` is missing (its type is ${reason.replace(/^is null, not /, "")}).`;
    reader.problems.push({ path: name, message });
  }
}

/** Refuses all missing files and folders among the inputs, each with its line. */
export function refuseAbsent(
  reader: Reader,
  { written, values }: Written,
  { inputs, kindOf }: { readonly inputs: readonly InputParameter[]; readonly kindOf: KindOf },
): void {
  const visit = (before: unknown, value: unknown, what: string): void => {
    if (isFileValue(value) && isMapping(before)) refuseFile(before, value.location, value.class, what);
    if (typeof before !== "object" || before === null) return;
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) visit(Reflect.get(before, key), inner, what);
  };
  const refuseFile = (before: Mapping, location: string | undefined, type: string, what: string) => {
    if (location === undefined || isAddress(location)) return;
    const kind = kindOf(location);
    if (kind === (type === "File" ? "file" : "folder")) return;
    const why =
      kind === "nothing" ? "does not exist" : `is a ${kind}, not a ${type === "File" ? "file" : "folder"}`;
    reader.refuse(
      before,
      typeof before["location"] === "string" ? "location" : "path",
      `${what}: ${location} ${why}.`,
    );
  };
  for (const { name } of inputs) visit(written[name], values[name], `The input \`${name}\``);
}

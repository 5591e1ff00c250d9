import { createHash } from "node:crypto";
import { closeSync, fstatSync } from "node:fs";
import { COMPARED_MAX_BYTES, maybeEquivalence } from "#plumbing/equivalence/equivalence";
import { isSameStamp } from "#workflow/job/file-stamps";
import { fileContents, maybeReadWhole } from "#workspace/comparison/file-contents";
import { type HeldFolder, maybeHoldBelow } from "#workspace/comparison/held-folder";
import type { FilePair, PairsRequest, PairVerdict, RecordedFile } from "#workspace/equivalence/file-pair";
import { stampOf } from "#workspace/read/stamps";

/** Judges one pair. Blocks its thread until both files are read. */
export function judgePair({ a, b, tolerance }: Omit<PairsRequest, "pairs">, pair: FilePair): PairVerdict {
  const components = pair.path.split("/").map((component) => Buffer.from(component));
  const name = components.pop()!;
  const [inA, inB] = [maybeHoldBelow(a, components), maybeHoldBelow(b, components)];
  try {
    if (!inA) return { kind: "replaced", side: "a" };
    if (!inB) return { kind: "replaced", side: "b" };
    return judge({ inA, inB, name, tolerance }, pair);
  } finally {
    inA?.close();
    inB?.close();
  }
}

interface Look {
  readonly inA: HeldFolder;
  readonly inB: HeldFolder;
  readonly name: Buffer;
  readonly tolerance: number;
}

function judge({ inA, inB, name, tolerance }: Look, { path, a, b }: FilePair): PairVerdict {
  if (a.sha256 === null || b.sha256 === null) {
    if (!hasStamp(inA, name, a)) return { kind: "replaced", side: "a" };
    if (!hasStamp(inB, name, b)) return { kind: "replaced", side: "b" };
    if (a.bytes === b.bytes && fileContents().areEqual(inA, inB, name)) return { kind: "identical" };
  }
  if (Math.max(a.bytes, b.bytes) > COMPARED_MAX_BYTES) return { kind: "different", isTooLarge: true };
  const one = maybeRecorded(inA, name, a);
  if (!one) return { kind: "replaced", side: "a" };
  const other = maybeRecorded(inB, name, b);
  if (!other) return { kind: "replaced", side: "b" };
  const equivalence = maybeEquivalence(path, one, other, tolerance);
  return equivalence ? { kind: "equivalent", ...equivalence } : { kind: "different", isTooLarge: false };
}

/** Reads a file. Returns undefined if it is gone, or its content is not the recorded content. */
function maybeRecorded(folder: HeldFolder, name: Buffer, recorded: RecordedFile): Buffer | undefined {
  const content = maybeReadWhole(folder, name, recorded.bytes);
  if (!content || recorded.sha256 === null) return content;
  return createHash("sha256").update(content).digest("hex") === recorded.sha256 ? content : undefined;
}

function hasStamp(folder: HeldFolder, name: Buffer, { stamp }: RecordedFile): boolean {
  const file = folder.maybeOpen(name);
  if (file === undefined) return false;
  try {
    return stamp !== null && isSameStamp(stamp, stampOf(fstatSync(file, { bigint: true })));
  } finally {
    closeSync(file);
  }
}

import { closeSync, readSync } from "node:fs";
import type { HeldFolder } from "#workspace/comparison/held-folder";

/** Size of one read: large enough for few calls, small enough to stay in the processor's cache. */
const CHUNK_BYTES = 256 << 10;

/** Compares files byte by byte, through two reused buffers. */
export interface FileContents {
  /** Compares two files of equal length. A vanished file is not equal to any file. */
  areEqual(a: HeldFolder, b: HeldFolder, name: Buffer): boolean;
}

export function fileContents(): FileContents {
  const [ofA, ofB] = [Buffer.allocUnsafeSlow(CHUNK_BYTES), Buffer.allocUnsafeSlow(CHUNK_BYTES)];

  function haveEqualBytes(a: number, b: number): boolean {
    for (;;) {
      const [readOfA, readOfB] = [readSync(a, ofA), readSync(b, ofB)];
      if (readOfA !== readOfB || ofA.compare(ofB, 0, readOfB, 0, readOfA) !== 0) return false;
      // A read returns fewer bytes than requested only at the end of a file.
      if (readOfA < CHUNK_BYTES) return true;
    }
  }

  return {
    areEqual: (a, b, name) =>
      withFile(a, name, (one) => withFile(b, name, (other) => haveEqualBytes(one, other))) ?? false,
  };
}

/** Reads a whole file. Returns undefined if it has grown beyond `maxBytes` or has vanished. */
export function maybeReadWhole(folder: HeldFolder, name: Buffer, maxBytes: number): Buffer | undefined {
  return withFile(folder, name, (file) => {
    const content = Buffer.allocUnsafeSlow(maxBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length <= maxBytes; length += read) {
      read = readSync(file, content, length, maxBytes + 1 - length, null);
    }
    return length > maxBytes ? undefined : content.subarray(0, length);
  });
}

function withFile<Result>(
  folder: HeldFolder,
  name: Buffer,
  work: (file: number) => Result,
): Result | undefined {
  const file = folder.maybeOpen(name);
  if (file === undefined) return undefined;
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}

import { inflateSync } from "node:zlib";

/**
 * Compares two PNG pictures by their pixels (PNG, third edition). Texts, times and the way of compression do not count.
 * All other chunks, such as colours and animations, must be equal byte by byte.
 */
export function hasSamePixels(a: Buffer, b: Buffer): boolean {
  const [one, other] = [maybePicture(a), maybePicture(b)];
  if (!one || !other || !one.others.equals(other.others)) return false;
  const [pixels, otherPixels] = [maybePixels(one), maybePixels(other)];
  return pixels !== undefined && otherPixels !== undefined && pixels.equals(otherPixels);
}

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
/** Chunks that say something about the picture and show nothing. */
const IGNORED = new Set(["tEXt", "zTXt", "iTXt", "tIME", "eXIf", "pHYs"]);
/** A picture of 4,000 × 4,000 pixels with 32 bits each. */
const PIXELS_MAX_BYTES = 64 * 2 ** 20;
const CHUNK_FRAME_BYTES = 12;
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** The passes of an interlaced picture: first pixel and distance, across and down. */
const PASSES = [
  [0, 8, 0, 8],
  [4, 8, 0, 8],
  [0, 4, 4, 8],
  [2, 4, 0, 4],
  [0, 2, 2, 4],
  [1, 2, 0, 2],
  [0, 1, 1, 2],
] as const;
const WHOLE = [[0, 1, 0, 1]] as const;

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly bitsPerPixel: number;
  readonly isInterlaced: boolean;
  /** All chunks that count apart from the pixels, in order. */
  readonly others: Buffer;
  readonly data: Buffer;
}

function maybePicture(file: Buffer): Picture | undefined {
  if (!file.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return undefined;
  const [others, data]: [Buffer[], Buffer[]] = [[], []];
  let at = SIGNATURE.length;
  let type = "";
  while (type !== "IEND") {
    if (at + CHUNK_FRAME_BYTES > file.length) return undefined;
    const end = at + CHUNK_FRAME_BYTES + file.readUInt32BE(at);
    if (end > file.length) return undefined;
    type = file.toString("latin1", at + 4, at + 8);
    if (type === "IDAT") data.push(file.subarray(at + 8, end - 4));
    else if (!IGNORED.has(type)) others.push(file.subarray(at, end));
    at = end;
  }
  const header = others[0];
  if (at !== file.length || header?.toString("latin1", 4, 8) !== "IHDR" || header.length !== 25)
    return undefined;
  const [width, height] = [header.readUInt32BE(8), header.readUInt32BE(12)];
  const bitsPerPixel = header[16]! * (SAMPLES[header[17]!] ?? 0);
  const isInterlaced = header[20] === 1;
  if (width * height * bitsPerPixel === 0) return undefined;
  return {
    width,
    height,
    bitsPerPixel,
    isInterlaced,
    others: Buffer.concat(others),
    data: Buffer.concat(data),
  };
}

/** Returns the pixels of all passes, row by row. Undefined for a broken or a huge picture. */
function maybePixels({ width, height, bitsPerPixel, isInterlaced, data }: Picture): Buffer | undefined {
  const passes = (isInterlaced ? PASSES : WHOLE).map(([left, across, top, down]) => {
    const columns = Math.max(0, Math.ceil((width - left) / across));
    const rows = columns === 0 ? 0 : Math.max(0, Math.ceil((height - top) / down));
    return { rows, rowBytes: Math.ceil((columns * bitsPerPixel) / 8) };
  });
  const expected = passes.reduce((sum, { rows, rowBytes }) => sum + rows * (rowBytes + 1), 0);
  const filtered = expected > PIXELS_MAX_BYTES ? undefined : maybeInflated(data, expected);
  if (filtered?.length !== expected) return undefined;
  const step = Math.max(1, bitsPerPixel >> 3);
  let at = 0;
  for (const { rows, rowBytes } of passes) {
    let above: Buffer | undefined;
    for (let row = 0; row < rows; row += 1) {
      const line = filtered.subarray(at + 1, at + 1 + rowBytes);
      if (!unfilter(filtered[at]!, line, above, step)) return undefined;
      // Only the pixels count: the way in which a row was filtered is cleared.
      filtered[at] = 0;
      above = line;
      at += rowBytes + 1;
    }
  }
  return filtered;
}

function maybeInflated(data: Buffer, bytes: number): Buffer | undefined {
  try {
    return inflateSync(data, { maxOutputLength: bytes });
  } catch {
    // Broken, or more pixels than the header announces: no picture to compare.
    return undefined;
  }
}

/** Undoes the filter of one row in place. Returns false for an unknown filter. */
function unfilter(filter: number, line: Buffer, above: Buffer | undefined, step: number): boolean {
  if (filter > 4) return false;
  if (filter === 0) return true;
  for (let index = 0; index < line.length; index += 1) {
    const left = index < step ? 0 : line[index - step]!;
    const up = above?.[index] ?? 0;
    const corner = index < step ? 0 : (above?.[index - step] ?? 0);
    line[index] = line[index]! + predicted(filter, left, up, corner);
  }
  return true;
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const toLeft = Math.abs(up - corner);
  const toUp = Math.abs(left - corner);
  const toCorner = Math.abs(left + up - 2 * corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

import { shortSize } from "#plumbing/text/human-size";

/** Progress of a transfer. */
export interface TransferCount {
  readonly files: number;
  readonly bytes: number;
  /** Bytes with a known checksum. A large file is read once for its checksum before the transfer. */
  readonly checked: number;
}

export interface TransferTotal {
  /** The verb as a past participle: `Uploaded`. */
  readonly verb: string;
  /** The object of the verb: `files`. */
  readonly noun: string;
  readonly files: number;
  readonly bytes: number;
}

/** Receives the progress of a transfer. */
export interface Transfer {
  bytes(count: number): void;
  checked(count: number): void;
  file(): void;
  /** Removes the line. */
  end(): void;
}

/** Returns a line such as `Uploaded 3/10 files, 1.2 GiB of 2 GiB (60 %), 300 MiB/s`. */
export function progressLine(total: TransferTotal, count: TransferCount, elapsedMs: number): string {
  const files = total.files === 1 ? "" : `${count.files}/${total.files} ${total.noun}, `;
  const percent = total.bytes === 0 ? 100 : Math.min(Math.floor((count.bytes / total.bytes) * 100), 100);
  const speed = `${shortSize(count.bytes / (Math.max(elapsedMs, 1) / 1000))}/s`;
  const checked = count.checked > count.bytes ? `, ${shortSize(count.checked)} checked` : "";
  return `${total.verb} ${files}${shortSize(count.bytes)} of ${shortSize(total.bytes)} (${percent} %), ${speed}${checked}`;
}

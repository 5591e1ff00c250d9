const UNITS = ["Bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** Formats `1536` as `1.5 KiB`: base 1024, at most two decimals, none for whole numbers, as REANA prints sizes. */
export function humanSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${Number(value.toFixed(2))} ${UNITS[unit]}`;
}

/** Like `humanSize`, but with `26 B` instead of `26 Bytes`. */
export function shortSize(bytes: number): string {
  return humanSize(Math.round(bytes)).replace("Bytes", "B");
}

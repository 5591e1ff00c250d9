const LOOKS_WRONG =
  /\b(error|exception|fatal|fail(ed|ure)?|traceback|cannot|could not|unable to|not found|no such|denied|killed|aborted|segfault|segmentation fault|bus error|no space left|out of memory|timed out|undefined|unrecognized|invalid|bad_alloc)\b|error:|(Error|Exception)\b/i;
/** Lines that count or repeat earlier errors. */
const SUMS_UP =
  /\b(0|no) (errors?|failures?|failed)\b|^=+ .* =+$|^make(\[\d+\])?: \*\*\*|^Traceback \(most recent|^error: Recipe /i;

/**
 * Returns the index of the line that most likely explains the failure: the last line that looks like an
 * error, or else the last line with text.
 */
export function explainingLine(
  count: number,
  line: (index: number) => string,
  first = 0,
): number | undefined {
  let lastWithText: number | undefined;
  for (let index = count - 1; index >= first; index -= 1) {
    const text = line(index);
    if (LOOKS_WRONG.test(text) && !SUMS_UP.test(text)) return index;
    if (text.trim() !== "") lastWithText ??= index;
  }
  return lastWithText;
}

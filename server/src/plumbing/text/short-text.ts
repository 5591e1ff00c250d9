/** Longer lines would make a table of runs wider than a terminal. */
const LENGTH_MAX = 40;

/** Bytes beyond which a file is not a short text: a character takes four at most. */
export const SHORT_TEXT_BYTES_MAX = 4 * LENGTH_MAX;

/** Returns the text without its newline if it is one line, short enough for a table. */
export function maybeShortText(content: string): string | undefined {
  const text = content.trimEnd();
  const isText = text !== "" && text.length <= LENGTH_MAX && !/[\p{C}\ufffd]/u.test(text);
  return isText ? text : undefined;
}

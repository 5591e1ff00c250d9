/** A text from outside as a sentence may hold it: on one line, without control characters, and not without end. */
export function printable(text: string, maxLength: number): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return cut.replace(/\p{Cc}/gu, "\ufffd");
}

/** Makes a text from outside fit for a sentence: on one line, without control characters, and of bounded length. */
export function printable(text: string, maxLength: number): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return cut.replace(/\p{Cc}/gu, "\ufffd");
}

/**
 * Returns a header such as `attachment; filename="results/a.txt"`. The name is always in double quotes, because a Go
 * client reads nothing else, and includes the folders, because REANA's clients write to that path. A name that is not
 * plain ASCII is repeated in encoded form (RFC 6266). The first form, which is the only one that REANA's clients read,
 * then has letters without their accents, and `_` for characters without a plain form.
 */
export function contentDisposition(kind: "attachment" | "inline", fileName: string): string {
  const unaccented = fileName.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  const plain = unaccented.replaceAll(/[^\x20-\x7e]/g, "_").replaceAll(/["\\]/g, String.raw`\$&`);
  const header = `${kind}; filename="${plain}"`;
  const isPlain = /^[\x20-\x7e]*$/.test(fileName);
  return isPlain ? header : `${header}; filename*=UTF-8''${encodeExtended(fileName)}`;
}

/** Percent-encodes all but RFC 5987's attribute characters. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

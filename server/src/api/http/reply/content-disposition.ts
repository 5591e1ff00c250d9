/**
 * Returns a header such as `attachment; filename="results/a.txt"`. The name is always in double quotes,
 * because a Go client requires quotes, and includes the folders, because REANA's clients write to that path.
 * A name outside plain ASCII is repeated in encoded form (RFC 6266). REANA's clients read only the first
 * form, which then has letters without their accents, and `_` for characters without a plain form.
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

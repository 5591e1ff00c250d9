/** Decodes `%20` in a part of a URI. Returns a text with an invalid `%` sequence unchanged. */
export function decodedUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

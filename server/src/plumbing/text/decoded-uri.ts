/** Decodes `%20` in a part of a URI. A text with a `%` that encodes nothing stays as it is. */
export function decodedUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** The version of this package. A test compares it with `package.json`. */
export const VERSION = "0.1.0";

/** Names the SDK to the server. A page in a browser may not choose this header. */
export const USER_AGENT: Readonly<Record<string, string>> =
  "document" in globalThis ? {} : { "user-agent": `reprise/${VERSION}` };

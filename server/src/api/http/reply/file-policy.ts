/**
 * Policy of everything that users' jobs wrote, for a browser that opens its address. It runs no script, has an origin of
 * its own, and loads nothing: a picture or style sheet of another server would report the reader to that server.
 */
export const POLICY_OF_FILES = [
  "sandbox",
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "font-src data:",
].join("; ");

/**
 * Policy for all files written by users' jobs, when a browser opens the address of a file. The file runs no
 * script, has an origin of its own, and loads nothing: a picture or style sheet of another server would
 * report the reader to the other server.
 */
export const POLICY_OF_FILES = [
  "sandbox",
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "font-src data:",
].join("; ");

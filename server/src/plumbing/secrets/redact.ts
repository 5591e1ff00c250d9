/**
 * Removes secrets from a text that is about to be shown or logged: in an address, a header, a JSON document or the
 * error message of a library. It recognises a secret only by its name or its shape. A secret that has neither must not
 * be handed to a log.
 */
export function redact(text: string): string {
  if (!MAY_HOLD_A_SECRET.test(text)) return text;
  let clean = text;
  for (const [pattern, replacement] of RULES) clean = clean.replace(pattern, replacement);
  return clean;
}

const HIDDEN = "[redacted]";

/** A quick check first, because every line of the log passes through here. */
const MAY_HOLD_A_SECRET =
  /page.key|signature|token|authorization|cookie|bearer|basic|secret|password|:\/\/|\.[\w-]{32}/i;

const NAMES =
  "access_token|user_token|refresh_token|token|authorization|cookie|set-cookie|x-gitlab-token|reprise-page-key|page_key|secret|password";

const RULES: readonly (readonly [RegExp, string])[] = [
  // `access_token=…` in an address or a form, also if the `=` itself is encoded.
  [/((?:access_|user_|refresh_)?token|page_signature|secret|password)(=|%3D)[^&#\s"'\\]+/gi, `$1$2${HIDDEN}`],
  // `"authorization":"…"` in JSON, and in JSON that is a string inside JSON.
  [new RegExp(String.raw`("(?:${NAMES})"\s*:\s*")(?:[^"\\]|\\.)*"`, "gi"), `$1${HIDDEN}"`],
  [
    new RegExp(String.raw`(\\"(?:${NAMES})\\"\s*:\s*\\")(?:[^"\\]|\\\\(?:\\"|\\\\|[^"\\]))*\\"`, "gi"),
    `$1${HIDDEN}\\"`,
  ],
  [/\b((?:authorization|cookie|set-cookie|x-gitlab-token|reprise-page-key): ?)[^"\\\r\n]+/gi, `$1${HIDDEN}`],
  [/\b(bearer)(\s+|%20)[^\s"'\\]+/gi, `$1$2${HIDDEN}`],
  [/\b(Basic)(\s+|%20)[\w+/-]{8,}=*/g, `$1$2${HIDDEN}`],
  // `https://user:password@host`
  [/(:\/\/)[^/\s"'\\@]+@/g, `$1${HIDDEN}@`],
  // Three dotted parts, the last one long: our own tokens, and JSON web tokens. Bounded, or a long word would take
  // hours.
  [/(?<![\w-])[\w-]{1,256}\.[\w-]{1,4096}\.[\w-]{32,}/g, HIDDEN],
];

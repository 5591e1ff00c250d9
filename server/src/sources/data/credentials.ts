import { Refusal } from "#plumbing/errors";

/** Keys of an S3 service. */
export interface S3Keys {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly sessionToken?: string;
}

const NAMES = {
  accessKey: "aws_access_key_id",
  secretKey: "aws_secret_access_key",
  sessionToken: "aws_session_token",
} as const;

/**
 * Reads the keys from a secret: `KEY:SECRET`, or lines such as `aws_access_key_id = …` as in the credentials file of
 * AWS, or `AWS_ACCESS_KEY_ID=…`.
 */
export function s3KeysOf(secretName: string, value: Buffer): S3Keys {
  const text = value.toString("utf8").trim();
  const [, accessKey, secretKey] = /^([^\s:=]+):(\S+)$/.exec(text) ?? [];
  if (accessKey !== undefined && secretKey !== undefined) return { accessKey, secretKey };
  const lines = new Map(text.split("\n").map((line) => pairOf(line)));
  const [access, secret, sessionToken] = [NAMES.accessKey, NAMES.secretKey, NAMES.sessionToken].map((name) =>
    lines.get(name),
  );
  if (access && secret)
    return { accessKey: access, secretKey: secret, ...(sessionToken && { sessionToken }) };
  throw new Refusal(
    "malformed",
    `The secret ${secretName} holds no S3 credentials. Store it as KEY:SECRET, or as lines with ` +
      "aws_access_key_id and aws_secret_access_key.",
  );
}

/** Returns the header for a secret that is `user:password` or a token. */
export function authorizationOf(value: Buffer): string {
  const text = value.toString("utf8").trim();
  return text.includes(":") ? `Basic ${Buffer.from(text).toString("base64")}` : `Bearer ${text}`;
}

function pairOf(line: string): readonly [string, string] {
  const [, name = "", value = ""] =
    /^\s*(?:export\s+)?([A-Za-z_]+)\s*=\s*["']?(.*?)["']?\s*$/.exec(line) ?? [];
  return [name.toLowerCase(), value];
}

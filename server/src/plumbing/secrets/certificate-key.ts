import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";

/** A signature and the public key for the check. */
export interface Signature {
  /** Base64. */
  readonly signature: string;
  /** PEM. */
  readonly publicKey: string;
}

const SEED_BYTES = 32;
/** The bytes of PKCS #8 in front of the seed of an Ed25519 key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/** Signs with an Ed25519 key that follows from the secret key of the server, so that no second key has to be kept. */
export function signWith(secretKey: Buffer, text: string): Signature {
  const seed = Buffer.from(hkdfSync("sha256", secretKey, "", "reprise certificate", SEED_BYTES));
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(key).export({ format: "pem", type: "spki" }).toString();
  return { signature: sign(null, Buffer.from(text), key).toString("base64"), publicKey };
}

/** Returns the fingerprint of the key if it made the signature. Undefined for another key, and for what is no key. */
export function maybeSignedBy(text: string, { signature, publicKey }: Signature): string | undefined {
  const key = maybeKey(publicKey);
  if (key?.asymmetricKeyType !== "ed25519") return undefined;
  if (!verify(null, Buffer.from(text), key, Buffer.from(signature, "base64"))) return undefined;
  const digest = createHash("sha256")
    .update(key.export({ format: "der", type: "spki" }))
    .digest("base64");
  return `SHA256:${digest.replace(/=+$/, "")}`;
}

function maybeKey(publicKey: string): KeyObject | undefined {
  try {
    return createPublicKey(publicKey);
  } catch {
    return undefined;
  }
}

/** A shorter secret would be found everywhere, and its stars would give it away. */
export const MASKED_FROM_BYTES = 4;

const STAR = "*".charCodeAt(0);

/**
 * Stars in the place of secrets, as many as they have bytes, so that everything else stays where it is. With `isEnd` the
 * text may go on later: the beginning of a secret at its end is masked as well.
 */
export function mask(bytes: Buffer, secrets: readonly Buffer[], isEnd: boolean): Buffer {
  let masked: Buffer | undefined;
  const hide = (from: number, to: number) => void (masked ??= Buffer.from(bytes)).fill(STAR, from, to);
  for (const secret of secrets) {
    for (let at = bytes.indexOf(secret); at !== -1; at = bytes.indexOf(secret, at + 1)) {
      hide(at, at + secret.length);
    }
    const begun = isEnd ? beginningAtEnd(bytes, secret) : 0;
    if (begun > 0) hide(bytes.length - begun, bytes.length);
  }
  return masked ?? bytes;
}

/** How much of a secret stands at the end of a text. */
function beginningAtEnd(bytes: Buffer, secret: Buffer): number {
  for (let size = Math.min(secret.length - 1, bytes.length); size >= MASKED_FROM_BYTES; size -= 1) {
    if (bytes.compare(secret, 0, size, bytes.length - size) === 0) return size;
  }
  return 0;
}

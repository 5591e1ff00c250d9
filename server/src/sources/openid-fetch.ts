import type { CustomFetch } from "openid-client";
import { isLoopback } from "#plumbing/loopback";

/** Thrown if a provider cannot be reached, or reports a fault of its own. */
export class ProviderAway extends Error {}

/** The longest reply of a provider, with many groups of a person. */
const MAX_BYTES = 2 ** 20;

/**
 * Sends a request to a provider. The administrator chose the provider, so its addresses may be private. Requests go over
 * TLS, or within this machine; redirects are not followed; a reply has a time limit, set by the caller, and a size limit.
 */
export const providerFetch: CustomFetch = async (address, options) => {
  const { protocol, hostname } = new URL(address);
  if (protocol !== "https:" && !isLoopback(hostname)) {
    throw new Error(`The provider names an address without TLS: ${protocol}//${hostname}.`);
  }
  const request = { ...options, redirect: "manual" } as RequestInit;
  const reply = await fetch(address, request).catch((error: unknown) => {
    throw new ProviderAway(`No reply from ${hostname}.`, { cause: error });
  });
  if (reply.status >= 500) throw new ProviderAway(`${hostname} returned the status ${reply.status}.`);
  return new Response(await limitedBody(reply), {
    status: reply.status,
    statusText: reply.statusText,
    headers: reply.headers,
  });
};

async function limitedBody(reply: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!reply.body) return null;
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of reply.body as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > MAX_BYTES) throw new Error(`The provider's reply is longer than ${MAX_BYTES} bytes.`);
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}

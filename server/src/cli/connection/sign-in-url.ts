import type { RepriseClient } from "reprise-sdk";

/** Returns an address that signs a browser in, once and within ten minutes, and then shows `page`. */
export async function signInUrl(client: RepriseClient, page?: string): Promise<string> {
  const { data } = await client.POST("/api/session/codes");
  const to = page === undefined ? "" : `?to=${encodeURIComponent(page)}`;
  return `${await publicUrlOf(client)}/sign-in${to}#${data!.code}`;
}

/**
 * Returns the address at which users reach the server. Behind a proxy, it differs from the address used by
 * this client.
 */
export async function publicUrlOf(client: RepriseClient): Promise<string> {
  return (await client.GET("/api/config")).data?.public_url ?? client.url;
}

import type { RepriseClient } from "reprise-sdk";

/** Returns an address that signs a browser in, once and within ten minutes, and then shows `page`. */
export async function signInUrl(client: RepriseClient, page?: string): Promise<string> {
  const { data } = await client.POST("/api/session/codes");
  const to = page === undefined ? "" : `?to=${encodeURIComponent(page)}`;
  return `${client.url}/sign-in${to}#${data!.code}`;
}

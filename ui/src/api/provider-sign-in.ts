import { queryOptions } from "@tanstack/react-query";
import { client } from "./client.ts";
import { configuration } from "./asks.ts";
import { queryCache } from "./cache.ts";
import { keepPageKey } from "./page-key.ts";

/** Sign-in by a provider: the browser goes there, and comes back to `/sign-in/<provider>` with an answer. */

/** The providers by which users sign in. */
export const signInProviders = queryOptions({
  ...configuration,
  select: ({ sign_in_providers: providers }) => providers,
});

/** The providers, and whether this user can sign in by each. */
export const ownProviders = queryOptions({
  queryKey: ["own-providers"],
  queryFn: async () => (await client.GET("/api/session/providers")).data!,
});

/** Key of the attempt in the storage of this tab. Other tabs and other ports of the host cannot read the attempt. */
const ATTEMPT = "reprise-sign-in";

interface Attempt {
  readonly attempt: string;
  /** The page to show after the sign-in. */
  readonly to: string;
}

interface Wanted {
  readonly provider: string;
  readonly to: string;
  /** True to add the provider to the account of the user who is signed in. */
  readonly isAdded?: boolean;
}

/** Sends the browser to a provider. */
export async function goToProvider({ provider, to, isAdded = false }: Wanted): Promise<void> {
  const params = { path: { provider } };
  const { data } = await (isAdded
    ? client.POST("/api/session/providers/{provider}/add", { params })
    : client.POST("/api/session/providers/{provider}", { params }));
  const kept: Attempt = { attempt: data!.attempt, to };
  sessionStorage.setItem(ATTEMPT, JSON.stringify(kept));
  location.assign(data!.url);
}

/** Removes a provider from the account of the user. Ends the other sessions that the provider opened. */
export async function removeProvider(provider: string): Promise<void> {
  await client.DELETE("/api/session/providers/{provider}", { params: { path: { provider } } });
}

/** Returns the attempt of this tab and removes it from the storage. */
export function takeAttempt(): Attempt | undefined {
  const kept = sessionStorage.getItem(ATTEMPT);
  sessionStorage.removeItem(ATTEMPT);
  return kept === null ? undefined : (JSON.parse(kept) as Attempt);
}

interface Answer {
  readonly provider: string;
  readonly attempt: string;
  readonly answer: string;
}

/** Signs in with the answer of a provider. Returns the first access token of a new user. */
export async function finishProviderSignIn({ provider, ...body }: Answer): Promise<string | null> {
  const params = { path: { provider } };
  const { data } = await client.POST("/api/session/providers/{provider}/answer", { params, body });
  keepPageKey(data!.page_key);
  queryCache.clear();
  return data!.token;
}

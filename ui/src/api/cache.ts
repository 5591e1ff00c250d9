import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError, NoAnswerError } from "reprise-sdk";
import { setContact } from "./contact.ts";
import { hasLostKey, pageKey } from "./page-key.ts";

/** Caches everything the page knows about the server. The page keeps no copy elsewhere. */
export const queryCache = new QueryClient({
  queryCache: new QueryCache({ onError: react }),
  defaultOptions: {
    // A browser without a network still reaches a server of its own machine.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      staleTime: 2000,
      // The client itself repeats requests without a response. Refusals are not repeated.
      retry: (count, error) => error instanceof NoAnswerError && count < 60,
      retryDelay: 1000,
    },
  },
});

/** Code of the refusal of a request without the key of the page. */
export const NO_KEY = "page-key-missing";
const SIGN_IN = "/sign-in";

function react(error: unknown): void {
  if (error instanceof NoAnswerError) setContact("away");
  if (error instanceof ApiError && (error.status === 401 || error.code === NO_KEY)) askToSignIn(error.code);
}

/**
 * Leaves for the sign-in page if this browser has no key of a session: every request would be refused, and each
 * refusal is an error in the browser's console. Returns whether it leaves.
 */
export function leavesToSignIn(): boolean {
  if (isSigningIn() || pageKey() !== "") return false;
  askToSignIn(hasLostKey() ? NO_KEY : undefined);
  return true;
}

/** Leaves for the sign-in page, which returns here. The page explains the code of the refusal, if given. */
export function askToSignIn(why?: string): void {
  if (isSigningIn()) return;
  const to = location.pathname + location.search;
  location.assign(`${SIGN_IN}?${new URLSearchParams({ to, ...(why !== undefined && { why }) }).toString()}`);
}

/** Returns whether the page is the one of the sign-in, or the one to which a provider sends the browser back. */
function isSigningIn(): boolean {
  return location.pathname === SIGN_IN || location.pathname.startsWith(`${SIGN_IN}/`);
}

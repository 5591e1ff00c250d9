import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError, NoAnswerError } from "reprise-sdk";
import { setContact } from "./contact.ts";

/** Everything that the page knows about the server. There is no other state of the server in the page. */
export const queryCache = new QueryClient({
  queryCache: new QueryCache({ onError: react }),
  defaultOptions: {
    // A browser without a network still reaches a server of its own machine.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      staleTime: 2000,
      // The client itself repeats requests that get no response. A refusal stays one.
      retry: (count, error) => error instanceof NoAnswerError && count < 60,
      retryDelay: 1000,
    },
  },
});

function react(error: unknown): void {
  if (error instanceof NoAnswerError) setContact("away");
  if (error instanceof ApiError && error.status === 401) askToSignIn();
}

/** Leaves for the sign-in page, which returns here. */
export function askToSignIn(): void {
  if (location.pathname === "/sign-in") return;
  const here = location.pathname + location.search;
  location.assign(`/sign-in?to=${encodeURIComponent(here)}`);
}

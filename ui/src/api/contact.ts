import { useSyncExternalStore } from "react";

/** Says whether the server responded to the last request. */
export type Contact = "reached" | "away";

let contact: Contact = "reached";
const listeners = new Set<() => void>();

export function setContact(now: Contact): void {
  if (now === contact) return;
  contact = now;
  for (const listener of listeners) listener();
}

export function useContact(): Contact {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => contact,
  );
}

const PAUSE_MS = 1000;

/**
 * Resolves when the server itself responds, not just a proxy. Until then, the page shows the server as away.
 */
export async function serverResponds(): Promise<void> {
  for (;;) {
    const hasResponded = await fetch("/api/ping").then(
      ({ ok }) => ok,
      () => false,
    );
    setContact(hasResponded ? "reached" : "away");
    if (hasResponded) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

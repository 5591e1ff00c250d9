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

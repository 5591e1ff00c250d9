/**
 * The page's half of the session, which the browser does not send automatically. Unlike a cookie, the storage
 * of an origin belongs to one port, so other pages of this host cannot read the key. All tabs share the key.
 */
const NAME = "reprise-page-key";
/** Stored per tab, and therefore kept when the key is lost. */
const MARK = "reprise-signed-in";

/** Returns an empty text if this browser is not signed in, or if its storage was cleared. */
export function pageKey(): string {
  return localStorage.getItem(NAME) ?? "";
}

export function keepPageKey(key: string): void {
  localStorage.setItem(NAME, key);
  sessionStorage.setItem(MARK, "yes");
}

/** Stores an empty key, as a sign that the user signed out. */
export function forgetPageKey(): void {
  localStorage.setItem(NAME, "");
}

/** Returns whether the storage was cleared since this tab signed in. */
export function hasLostKey(): boolean {
  return localStorage.getItem(NAME) === null && sessionStorage.getItem(MARK) !== null;
}

/** Calls back when another tab signs in or out. Returns the function that removes the listener. */
export function onOtherTab(changed: () => void): () => void {
  const listener = ({ key }: StorageEvent) => {
    if (key === NAME) changed();
  };
  addEventListener("storage", listener);
  return () => removeEventListener("storage", listener);
}

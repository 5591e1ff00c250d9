/**
 * The half of the session that this page keeps and the browser does not send by itself. The storage of an origin
 * belongs to one port, unlike a cookie, so that no other page of this host can read it. All tabs share it.
 */
const NAME = "reprise-page-key";
/** Kept by each tab, so that it outlives the key. */
const MARK = "reprise-signed-in";

/** Returns an empty text if this browser is not signed in, or its storage was cleared. */
export function pageKey(): string {
  return localStorage.getItem(NAME) ?? "";
}

export function keepPageKey(key: string): void {
  localStorage.setItem(NAME, key);
  sessionStorage.setItem(MARK, "yes");
}

/** Keeps an empty key, which says that the user signed out. */
export function forgetPageKey(): void {
  localStorage.setItem(NAME, "");
}

/** Returns whether the storage was cleared since this tab signed in. */
export function hasLostKey(): boolean {
  return localStorage.getItem(NAME) === null && sessionStorage.getItem(MARK) !== null;
}

/** Calls back when another tab signs in or out. Returns what ends that. */
export function onOtherTab(changed: () => void): () => void {
  const listener = ({ key }: StorageEvent) => {
    if (key === NAME) changed();
  };
  addEventListener("storage", listener);
  return () => removeEventListener("storage", listener);
}

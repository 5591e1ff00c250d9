import { type FunctionComponent, lazy, type LazyExoticComponent } from "react";
import { serverResponds } from "../api/contact.ts";

/**
 * Returns a component that is loaded when it is first shown. If the server is away, it is loaded when the server
 * responds again. A part that is gone by then belongs to an older page, so the new page is loaded.
 */
export function later<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): LazyExoticComponent<FunctionComponent<Props>> {
  const loadAgain = async () => {
    await serverResponds();
    return load().catch(reload);
  };
  return lazy(async () => ({ default: await load().catch(loadAgain) }));
}

/** Loads the page again. Until then, the placeholder stays. */
function reload(): Promise<never> {
  location.reload();
  return new Promise(() => {});
}

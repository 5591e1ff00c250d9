import { type FunctionComponent, lazy, type LazyExoticComponent } from "react";
import { serverResponds } from "../api/contact.ts";

/**
 * Returns a component that is loaded when first shown. If the server is away, loading waits until it responds
 * again. If the server no longer has this module, the whole page is reloaded, because the server has a newer
 * version.
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

/** A part that is missing even in the newest page must not make the browser load that page all the time. */
const LEAST_AGE_MS = 10_000;

/** Reloads the page once it is old enough. Until then, the placeholder stays. */
async function reload(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, LEAST_AGE_MS - performance.now()));
  location.reload();
  return new Promise(() => {});
}

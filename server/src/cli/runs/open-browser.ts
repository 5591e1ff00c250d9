import { spawn } from "node:child_process";
import { once } from "node:events";

/** Returns whether a browser accepted the address. Without a display it does not try. */
export async function openBrowser(
  url: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const isMac = process.platform === "darwin";
  if (!isMac && !environment["DISPLAY"] && !environment["WAYLAND_DISPLAY"]) return false;
  const child = spawn(isMac ? "open" : "xdg-open", [url], { stdio: "ignore", detached: true });
  child.unref();
  const isTaken = once(child, "exit").then(([code]) => code === 0);
  return isTaken.catch(() => false);
}

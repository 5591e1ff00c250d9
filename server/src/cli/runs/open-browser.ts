import { spawn } from "node:child_process";
import { once } from "node:events";
import { startProcess } from "#plumbing/start-process";

/** Returns whether a browser accepted the address. Without a display it does not try. */
export async function openBrowser(
  url: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const isMac = process.platform === "darwin";
  if (!isMac && !environment["DISPLAY"] && !environment["WAYLAND_DISPLAY"]) return false;
  const program = isMac ? "open" : "xdg-open";
  try {
    const child = await startProcess(() => spawn(program, [url], { stdio: "ignore", detached: true }));
    child.unref();
    const [code] = await once(child, "exit");
    return code === 0;
  } catch {
    return false; // there is no such program, or it cannot be started
  }
}

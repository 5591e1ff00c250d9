import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { writeInSecrets } from "#backends/process/attempt/secret-files";
import { bindSources } from "#backends/process/slots/bind-sources";

const SCRIPT = fileURLToPath(new URL("./check-binds.sh", import.meta.url));
/** Folders in which podman looks for hooks, unless it is given others. */
const USUAL_FOLDERS = ["/usr/share/containers/oci/hooks.d", "/etc/containers/oci/hooks.d"];

/**
 * Writes a hook for podman that lets a container start only if it shows these parts of the workspace, and returns the
 * folders of all hooks. Podman looks for what it binds by the path, after this server has looked at it: a process that
 * replaces a part of the path with a link at that moment would show the job what the link leads to.
 */
export function writeBindHook(
  attemptFolder: string,
  workspaceFolder: string,
  parts: readonly string[],
): readonly string[] {
  const { sources } = bindSources(workspaceFolder, parts);
  const hook = {
    version: "1.0.0",
    hook: { path: "/bin/bash", args: ["bash", "-p", SCRIPT, ...sources] },
    when: { always: true },
    // The container has its mounts, and its command has not started.
    stages: ["createRuntime"],
  };
  const file = writeInSecrets(attemptFolder, "hooks/binds.json", JSON.stringify(hook));
  return [...USUAL_FOLDERS.filter((one) => existsSync(one)), path.dirname(file)];
}

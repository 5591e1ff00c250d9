import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { writeInSecrets } from "#backends/process/attempt/secret-files";
import { bindSources } from "#backends/process/slots/bind-sources";

const SCRIPT = fileURLToPath(new URL("./check-binds.sh", import.meta.url));
/** Folders in which podman looks for hooks by default. */
const USUAL_FOLDERS = ["/usr/share/containers/oci/hooks.d", "/etc/containers/oci/hooks.d"];

/**
 * Writes a hook for podman that lets a container start only if the container shows the given parts of the
 * workspace, and returns the folders of all hooks. Podman resolves the path of a bind mount after this server
 * has checked the path: a process that replaces a component of the path with a link at that moment would show
 * the job the target of the link.
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
    // At this stage the container has mounts, and the command has not started.
    stages: ["createRuntime"],
  };
  const file = writeInSecrets(attemptFolder, "hooks/binds.json", JSON.stringify(hook));
  return [...USUAL_FOLDERS.filter((one) => existsSync(one)), path.dirname(file)];
}

import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** Podman refuses to root the option by which cwltool keeps the user's id. */
const WITHOUT_KEPT_ID = `#!/bin/bash
words=()
for word; do [ "$word" = --userns=keep-id ] || words+=("$word"); done
exec PODMAN "\${words[@]}"
`;

/** Returns a PATH with a podman for cwltool that works for root. */
export async function cwltoolPath(folder: string): Promise<string> {
  const before = process.env["PATH"] ?? "";
  if (process.getuid?.() !== 0) return before;
  const program = execFileSync("which", ["podman"], { encoding: "utf8" }).trim();
  await mkdir(folder);
  await writeFile(path.join(folder, "podman"), WITHOUT_KEPT_ID.replace("PODMAN", program), { mode: 0o755 });
  return `${folder}:${before}`;
}

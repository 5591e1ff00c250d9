import { spawnSync } from "node:child_process";
import path from "node:path";
import { ROOT } from "./project.ts";
import { setPublishedModes } from "./published-modes.ts";

/**
 * `npm run package`: writes `reprise-<version>.tgz` into this folder, or into the given folder. It is not a
 * `prepack` script: this checkout runs no package scripts, including its own, so npm would silently skip the
 * script and pack an old build.
 */
const [target = "."] = process.argv.slice(2);
const run = (command: string, args: readonly string[]) =>
  spawnSync(command, args, { cwd: ROOT, stdio: "inherit" }).status ?? 1;

process.exitCode = run(process.execPath, ["tools/build.ts"]);
if (process.exitCode === 0) {
  await setPublishedModes(path.join(ROOT, "server"));
  const destination = `--pack-destination=${path.resolve(target)}`;
  process.exitCode = run("npm", ["pack", "--loglevel=error", "--workspace=server", destination]);
}

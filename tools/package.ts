import { spawnSync } from "node:child_process";
import path from "node:path";
import { ROOT } from "./project.ts";

/**
 * `npm run package`: `reprise-<version>.tgz` in this folder, or in the one that is named. Not by a script of npm's that
 * runs before each `npm pack`: this checkout runs no scripts of packages, its own included, so such a one would be passed
 * over without a word, and what was built some time ago be packed.
 */
const [target = "."] = process.argv.slice(2);
const run = (command: string, args: readonly string[]) =>
  spawnSync(command, args, { cwd: ROOT, stdio: "inherit" }).status ?? 1;

process.exitCode =
  run(process.execPath, ["tools/build.ts"]) ||
  run("npm", [
    "pack",
    "--loglevel=error",
    "--workspace=server",
    `--pack-destination=${path.resolve(target)}`,
  ]);

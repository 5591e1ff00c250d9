import { spawnSync } from "node:child_process";
import { copyFile, rm } from "node:fs/promises";
import path from "node:path";
import { ROOT, toolPath } from "./project.ts";
import { setPublishedModes } from "./published-modes.ts";
import { writeSdkTypes } from "./sdk-types.ts";

/**
 * Runs before `npm pack` in `sdk`: compiles the SDK into `sdk/dist`, because Node refuses to strip types in installed
 * packages. `sdk/package.json` describes the published package. The npm workspace is `sdk/src`, whose manifest exports
 * the sources: npm would otherwise read the settings of the checkout in `sdk`, which forbid package scripts.
 */
const SDK = path.join(ROOT, "sdk");

await rm(path.join(SDK, "dist"), { recursive: true, force: true });
await writeSdkTypes();
const args = [toolPath("tsc"), "--project", "sdk/tsconfig.build.json"];
// The compiler prints to standard error, because the output of `npm pack` ends with the name of the package.
process.exitCode = spawnSync(process.execPath, args, { cwd: ROOT, stdio: ["ignore", 2, 2] }).status ?? 1;
await copyFile(path.join(ROOT, "LICENSE"), path.join(SDK, "LICENSE"));
await setPublishedModes(SDK);

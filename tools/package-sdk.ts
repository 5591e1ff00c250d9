import { spawnSync } from "node:child_process";
import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { ROOT, toolPath } from "./project.ts";

/**
 * `npm run package:sdk`: writes `reprise-sdk-<version>.tgz` into this folder, or into the given one. It is packed from
 * `sdk/dist`: the workspace itself exports its sources, which work in the checkout but not in an installed package,
 * where Node refuses to strip types. It is not a `prepack` script, because the checkout runs no package scripts.
 */
const [target = "."] = process.argv.slice(2);
const SDK = path.join(ROOT, "sdk");
const DIST = path.join(SDK, "dist");
const run = (command: string, args: readonly string[], cwd = ROOT) =>
  spawnSync(command, args, { cwd, stdio: "inherit" }).status ?? 1;

await rm(DIST, { recursive: true, force: true });
process.exitCode = run(process.execPath, [toolPath("tsc"), "--project", "sdk/tsconfig.build.json"]);
if (process.exitCode === 0) {
  await writeFile(path.join(DIST, "package.json"), `${JSON.stringify(await manifest(), null, 2)}\n`);
  await copyFile(path.join(SDK, "README.md"), path.join(DIST, "README.md"));
  await copyFile(path.join(ROOT, "LICENSE"), path.join(DIST, "LICENSE"));
  const destination = `--pack-destination=${path.resolve(target)}`;
  process.exitCode = run("npm", ["pack", "--loglevel=error", destination], DIST);
}

/** Returns the workspace's manifest, pointing to the compiled files instead of the sources. */
async function manifest(): Promise<object> {
  const text = await readFile(path.join(SDK, "package.json"), "utf8");
  const { name, version, description, license, type, dependencies } = JSON.parse(text) as Record<
    string,
    unknown
  >;
  const compiled = (file: string) => ({ types: `./${file}.d.ts`, default: `./${file}.js` });
  return {
    name,
    version,
    description,
    license,
    type,
    engines: { node: ">=22.18" },
    exports: { ".": compiled("index"), "./node": compiled("node"), "./package.json": "./package.json" },
    dependencies,
  };
}

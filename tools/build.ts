import { spawnSync } from "node:child_process";
import { copyFile, cp, glob, mkdir, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { ROOT, toolPath } from "./project.ts";

/**
 * The `package.json` beside the compiled files. The commands import "reprise-sdk", which is not a separate package
 * where the server is installed: this name makes the compiled files that package, and a package can import itself.
 */
const NEAREST = {
  name: "reprise-sdk",
  type: "module",
  imports: { "#*": "./*.js" },
  exports: { ".": "./sdk/index.js", "./node": "./sdk/node.js" },
};

/**
 * `npm run build`: compiles the SDK into `sdk/dist`, and server and SDK into `server/dist`. The latter is published,
 * because Node refuses to strip types in installed packages. Imports stay as they are: the nearest `package.json` says
 * where `#` points to.
 */
const SOURCE = path.join(ROOT, "server", "src");
const TARGET = path.join(ROOT, "server", "dist");
const SDK = path.join(ROOT, "sdk", "dist");

await Promise.all([TARGET, SDK].map((folder) => rm(folder, { recursive: true, force: true })));
if (compile("tsconfig.build.json") && compile("sdk/tsconfig.build.json")) {
  await copyOtherFiles();
  await cp(SDK, path.join(TARGET, "sdk"), { recursive: true });
  for (const file of ["README.md", "LICENSE"]) {
    await copyFile(path.join(ROOT, file), path.join(ROOT, "server", file));
  }
  await writeFile(path.join(TARGET, "package.json"), `${JSON.stringify(NEAREST)}\n`);
} else {
  process.exitCode = 1;
}

function compile(project: string): boolean {
  const args = [toolPath("tsc"), "--project", project];
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit" }).status === 0;
}

/** Copies the files that the compiler leaves out, such as shell scripts. */
async function copyOtherFiles(): Promise<void> {
  for await (const file of glob("**/*", { cwd: SOURCE, exclude: ["**/*.ts", "**/*.md"] })) {
    const from = path.join(SOURCE, file);
    if (!(await stat(from)).isFile()) continue;
    await mkdir(path.join(TARGET, path.dirname(file)), { recursive: true });
    await copyFile(from, path.join(TARGET, file));
  }
}

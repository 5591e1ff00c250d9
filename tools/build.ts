import { spawnSync } from "node:child_process";
import { copyFile, glob, mkdir, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { ROOT, toolPath } from "./project.ts";

/**
 * `npm run build`: compiles the server into `server/dist`, which is what is published, because Node refuses to strip
 * types from what is installed. Imports stay as they are: the nearest `package.json` says where `#` points to.
 */
const SOURCE = path.join(ROOT, "server", "src");
const TARGET = path.join(ROOT, "server", "dist");

await rm(TARGET, { recursive: true, force: true });
const args = [toolPath("tsc"), "--project", "tsconfig.build.json"];
const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
if (status === 0) {
  await copyOtherFiles();
  const nearest = { type: "module", imports: { "#*": "./*.js" } };
  await writeFile(path.join(TARGET, "package.json"), `${JSON.stringify(nearest)}\n`);
} else {
  process.exitCode = 1;
}

/** Shell scripts and the like, which the compiler leaves behind. */
async function copyOtherFiles(): Promise<void> {
  for await (const file of glob("**/*", { cwd: SOURCE, exclude: ["**/*.ts", "**/*.md"] })) {
    const from = path.join(SOURCE, file);
    if (!(await stat(from)).isFile()) continue;
    await mkdir(path.join(TARGET, path.dirname(file)), { recursive: true });
    await copyFile(from, path.join(TARGET, file));
  }
}

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { glob, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ROOT } from "./project.ts";

/**
 * Builds the web page into `ui/dist` if its sources have changed since the last build; `npm start` calls it
 * each time. The new page replaces the old page only when complete, so that a server never shows half a page.
 */
const UI = path.join(ROOT, "ui");
const TARGET = path.join(UI, "dist");
const STAMP = path.join(TARGET, ".sources");
const SOURCES = [
  "ui/{src,public}/**/*.*",
  "ui/*.{html,json,ts}",
  "sdk/src/*.ts",
  "package-lock.json",
  "tools/build-page.ts",
];

const wanted = await hashOfSources();
if (!existsSync(STAMP) || (await readFile(STAMP, "utf8")) !== wanted) await buildPage(wanted);

async function hashOfSources(): Promise<string> {
  const hash = createHash("sha256");
  for (const file of (await filesOf(SOURCES, ROOT)).toSorted())
    hash.update(`${file}\n`).update(await readFile(path.join(ROOT, file)));
  return hash.digest("hex");
}

async function buildPage(sources: string): Promise<void> {
  // Builds for production even if a test starts the build.
  process.env["NODE_ENV"] = "production";
  // Imported lazily, because most starts build nothing.
  const { build } = await import("vite");
  if (process.stderr.isTTY) console.error("Building the web page (only after a change) …");
  const fresh = `${TARGET}.${process.pid}`;
  const configFile = path.join(UI, "vite.config.ts");
  await build({ configFile, logLevel: "warn", build: { outDir: fresh, emptyOutDir: true } });
  await compressFiles(fresh);
  await writeFile(path.join(fresh, ".sources"), sources);
  const old = `${fresh}.old`;
  if (existsSync(TARGET)) await rename(TARGET, old);
  await rename(fresh, TARGET);
  await rm(old, { recursive: true, force: true });
}

/**
 * Replaces each file by its gzip form, so that the server compresses nothing and the package holds each file once. The
 * server unpacks a file for a program that does not accept gzip. Brotli would save a twentieth of the bytes, only over
 * HTTPS, and make the package larger by 270 kB.
 */
async function compressFiles(folder: string): Promise<void> {
  const files = await filesOf(["**/*.{js,css,html,svg}"], folder);
  await Promise.all(
    files.map(async (name) => {
      const file = path.join(folder, name);
      const content = await readFile(file);
      await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
      await rm(file);
    }),
  );
}

async function filesOf(patterns: readonly string[], folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob(patterns, { cwd: folder })) files.push(file);
  return files;
}

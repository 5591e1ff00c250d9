import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, cp, glob, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { rolldown } from "rolldown";
import { minifySync } from "rolldown/utils";
import { findNamed } from "./named-modules.ts";
import { ROOT, toolPath } from "./project.ts";
import { writeSdkTypes } from "./sdk-types.ts";

/**
 * `npm run build`: compiles the SDK into `sdk/dist`, and bundles the server into `server/dist`. The latter is published:
 * Node refuses to strip types in installed packages, and finding and reading 600 small modules takes a third of the
 * time of a short command (docs/decisions/20261122-the-package-is-bundled.md).
 */
const SERVER = path.join(ROOT, "server");
const SOURCE = path.join(SERVER, "src");
const TARGET = path.join(SERVER, "dist");
const SDK = path.join(ROOT, "sdk", "dist");

/**
 * Dependencies with many small modules, which are bundled. All other dependencies are installed with the
 * package.
 */
const BUNDLED = ["jose", "kysely", "oauth4webapi", "openid-client", "typebox", "yaml"];

/** Packages bundled into the web page, whose licenses must be shipped. */
const IN_PAGE = [
  "@dagrejs/dagre",
  "@tanstack/react-query",
  "@tanstack/react-virtual",
  "@xyflow/react",
  "cmdk",
  "lucide-react",
  "openapi-fetch",
  "papaparse",
  "radix-ui",
  "react",
  "react-dom",
  "react-markdown",
  "remark-gfm",
  "tailwindcss",
];

/** Placeholder for `server/dist` in the address of a file until the folder of its chunk is known. */
const DIST = "<dist>/";

const named = findNamed(SOURCE);
if (named.problems.length > 0) throw new Error(named.problems.join("\n"));
await Promise.all([TARGET, SDK].map((folder) => rm(folder, { recursive: true, force: true })));
await writeSdkTypes();
if (compile("sdk/tsconfig.build.json")) {
  await bundleServer();
  await Promise.all(named.programs.map(bundleProgram));
  await copyOtherFiles();
  refuseMissing([
    ...named.modules.map((name) => `${name}.js`),
    ...named.programs.map((name) => `${name}.cjs`),
    ...named.files,
  ]);
  await import("./build-page.ts");
  await cp(path.join(ROOT, "ui", "dist"), path.join(TARGET, "page"), { recursive: true });
  await cp(SDK, path.join(TARGET, "sdk"), { recursive: true });
  await indentByTabs(path.join(TARGET, "sdk", "schema.d.ts"));
} else {
  process.exitCode = 1;
}

function compile(project: string): boolean {
  const args = [toolPath("tsc"), "--project", project];
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit" }).status === 0;
}

async function bundleServer(): Promise<void> {
  const { dependencies } = JSON.parse(await readFile(path.join(SERVER, "package.json"), "utf8")) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const installed = Object.keys(dependencies);
  const bundle = await rolldown({
    // The command, and the modules loaded by its threads and processes. All other modules are merged into
    // chunks.
    input: Object.fromEntries(
      ["main", ...named.modules].map((name) => [name, path.join(SOURCE, `${name}.ts`)]),
    ),
    platform: "node",
    plugins: [
      {
        name: "places",
        transform: { filter: { code: "import.meta.url" }, handler: keepPlace },
        renderChunk: (code, { fileName }) =>
          code.replaceAll(DIST, "../".repeat(fileName.split("/").length - 1)),
      },
      {
        name: "dependencies",
        renderChunk: (code, { fileName, moduleIds }) =>
          isForeign(moduleIds) ? shortened(fileName, code) : null,
      },
    ],
    external: (id) => installed.some((name) => id === name || id.startsWith(`${name}/`)),
    // The names of the merged modules, in comments, would be a part of the package that nobody reads.
    experimental: { attachDebugInfo: "none" },
  });
  await bundle.write({
    dir: TARGET,
    format: "esm",
    chunkFileNames: "[name]-[hash].js",
    // The documentation of the dependencies is a tenth of the package. `LICENSES` has their licenses.
    comments: { annotation: false, jsdoc: false, legal: false },
  });
}

/** True if nine in ten modules of a chunk are of dependencies. */
function isForeign(moduleIds: readonly string[]): boolean {
  return moduleIds.filter((id) => id.includes("/node_modules/")).length > moduleIds.length * 0.9;
}

/** Shortens a chunk of dependencies. Other chunks stay readable, for the traces of errors. */
function shortened(fileName: string, code: string): string {
  return minifySync(fileName, code, { module: true, compress: false, mangle: { toplevel: false } }).code;
}

/** Makes one CommonJS file of a program and all its imports. */
async function bundleProgram(name: string): Promise<void> {
  const bundle = await rolldown({ input: path.join(SOURCE, `${name}.ts`), platform: "node" });
  await bundle.write({
    file: path.join(TARGET, `${name}.cjs`),
    format: "cjs",
    codeSplitting: false,
    comments: { annotation: false, jsdoc: false, legal: false },
  });
}

/**
 * Replaces `import.meta.url` by the original place of a module, so that it finds its files even from a chunk.
 */
function keepPlace(code: string, id: string): string | undefined {
  if (!id.startsWith(SOURCE)) return undefined;
  const place = path.relative(SOURCE, id).replace(/\.ts$/, ".js");
  return code.replaceAll("import.meta.url", `new URL(${JSON.stringify(DIST + place)}, import.meta.url).href`);
}

/** Indents by tabs: the spaces are a quarter of the types of the API. */
async function indentByTabs(file: string): Promise<void> {
  const text = await readFile(file, "utf8");
  await writeFile(
    file,
    text.replaceAll(/^(?: {4})+/gm, (spaces) => "\t".repeat(spaces.length / 4)),
  );
}

/**
 * Throws if `server/dist` lacks a file that the server names by a text. The server would start, and fail only
 * on first use.
 */
function refuseMissing(files: readonly string[]): void {
  const missing = files.filter((file) => !existsSync(path.join(TARGET, file)));
  if (missing.length > 0) throw new Error(`The build has not made ${missing.join(", ")} in ${TARGET}.`);
}

/** Copies shell scripts and other files that the server reads, and the licenses of bundled packages. */
async function copyOtherFiles(): Promise<void> {
  for await (const file of glob("**/*.*", {
    cwd: SOURCE,
    exclude: ["**/*.ts", "**/*.md", "**/*-fixture.*"],
  })) {
    await mkdir(path.join(TARGET, path.dirname(file)), { recursive: true });
    await copyFile(path.join(SOURCE, file), path.join(TARGET, file));
  }
  for (const file of ["README.md", "LICENSE"]) {
    await copyFile(path.join(ROOT, file), path.join(SERVER, file));
  }
  const licenses = await Promise.all([...BUNDLED, ...IN_PAGE].map(licenseOf));
  await writeFile(path.join(TARGET, "LICENSES"), licenses.join("\n"));
}

async function licenseOf(name: string): Promise<string> {
  const folder = path.join(ROOT, "node_modules", name);
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined)
    throw new Error(`${name} is bundled, and ${folder} has no license file to go with it.`);
  return `${name}\n\n${await readFile(path.join(folder, file), "utf8")}`;
}

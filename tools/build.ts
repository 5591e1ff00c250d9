import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, cp, glob, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { rolldown } from "rolldown";
import { findNamed } from "./named-modules.ts";
import { ROOT, toolPath } from "./project.ts";

/**
 * `npm run build`: compiles the SDK into `sdk/dist`, and bundles the server into `server/dist`. The latter is published:
 * Node refuses to strip types in installed packages, and finding and reading 600 small modules takes a third of the
 * time of a short command (docs/decisions/20261122-the-package-is-bundled.md).
 */
const SERVER = path.join(ROOT, "server");
const SOURCE = path.join(SERVER, "src");
const TARGET = path.join(SERVER, "dist");
const SDK = path.join(ROOT, "sdk", "dist");

/** Dependencies that consist of many small modules. They are bundled; all others are installed beside the package. */
const BUNDLED = ["kysely", "typebox", "yaml"];

/** Packages that the web page is built from and whose license must be shipped with it. */
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

/** Stands for `server/dist` in the address of a file until it is known in which folder its chunk is. */
const DIST = "<dist>/";

const named = findNamed(SOURCE);
if (named.problems.length > 0) throw new Error(named.problems.join("\n"));
await Promise.all([TARGET, SDK].map((folder) => rm(folder, { recursive: true, force: true })));
if (compile("sdk/tsconfig.build.json")) {
  await bundleServer();
  await copyOtherFiles();
  refuseMissing([...named.modules.map((name) => `${name}.js`), ...named.files]);
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
    // The command, and the modules that its threads and processes load. All others are merged into chunks.
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

/** Gives a module that looks for a file beside itself the place that it had before it was merged into a chunk. */
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

/** Throws if `server/dist` lacks a file that the server names by a text: only that part would fail, after its start. */
function refuseMissing(files: readonly string[]): void {
  const missing = files.filter((file) => !existsSync(path.join(TARGET, file)));
  if (missing.length > 0) throw new Error(`The build has not made ${missing.join(", ")} in ${TARGET}.`);
}

/** Copies shell scripts and other files that the server reads, and the licenses of what is bundled. */
async function copyOtherFiles(): Promise<void> {
  for await (const file of glob("**/*.*", { cwd: SOURCE, exclude: ["**/*.ts", "**/*.md"] })) {
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

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { faultsByFile, importsOf, readSources, type SourceFile } from "./support/sources.ts";

/**
 * The rooms and their allowed imports. A room may import itself and the rooms in its row; type-only imports
 * count. `app` and `main.ts` may import all rooms. A room may not import `app` or `config`.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  plumbing: [],
  config: ["workflow", "plumbing"],
  workflow: ["plumbing"],
  store: ["workflow", "plumbing"],
  workspace: ["workflow", "plumbing"],
  sources: ["workflow", "plumbing"],
  engines: ["workflow", "plumbing"],
  backends: ["workflow", "plumbing"],
  runner: ["engines", "backends", "workspace", "store", "workflow", "plumbing"],
  notebooks: ["backends", "store", "workflow", "plumbing"],
  notifications: ["sources", "store", "workflow", "plumbing"],
  scheduler: ["runner", "store", "workflow", "plumbing"],
  peers: ["store", "workflow", "plumbing"],
  backup: ["workspace", "store", "workflow", "plumbing"],
  reana: ["store", "workflow", "plumbing"],
  operations: [
    "scheduler",
    "notebooks",
    "notifications",
    "runner",
    "store",
    "workspace",
    "sources",
    "engines",
    "workflow",
    "plumbing",
  ],
  api: ["operations", "workflow", "plumbing"],
  cli: ["workflow", "plumbing"],
};
const WALLS: Readonly<Record<string, readonly string[]>> = {
  ...ROOMS,
  app: Object.keys(ROOMS),
  main: [...Object.keys(ROOMS), "app"],
};

/** Rooms that may import foreign modules. All other rooms use a foreign module through the listed room. */
const OUTSIDE: readonly (readonly [module: RegExp, rooms: readonly string[]])[] = [
  [/^(kysely|better-sqlite3|pg)($|\/)/, ["store"]],
  [/^(fastify$|@fastify\/)/, ["api", "app"]],
  [/^openid-client$/, ["sources"]],
  [
    /^node:(https?|http2|net|tls)$/,
    ["api", "sources", "notifications", "peers", "backends", "app", "cli/connection/pinned-fetch"],
  ],
  [
    /^node:child_process$/,
    [
      "backends",
      "sources",
      "app/environments/set-up",
      "runner/engine/worker-process",
      "cli/server/doctor",
      "cli/runs/open-browser",
      "plumbing/start-process",
    ],
  ],
  [/^commander$|^reprise-sdk($|\/)/, ["cli"]],
  [
    /^node:(fs|fs\/promises)$/,
    ["plumbing", "workspace", "sources", "backends", "store/dialects", "backup", "api", "cli", "app", "main"],
  ],
];

const sources = readSources();
const EMPTY: SourceFile = { name: "", isTest: false, text: "", code: "", imports: [] };

describe("walls", () => {
  test("hold for every file", () => {
    expect(faultsByFile(sources, wrongImports)).toEqual({});
  });

  test("no room is without a row", () => {
    const rooms = new Set(sources.map((file) => roomOf(file.name)));
    expect([...rooms].filter((room) => WALLS[room] === undefined)).toEqual([]);
  });

  test("a wrong import is found, however it is written", () => {
    const file = (name: string, code: string): SourceFile => ({
      name,
      isTest: false,
      text: code,
      code,
      imports: importsOf(code),
    });
    expect(wrongImports(file("store/x", 'import type { A } from "#engines/engine";'))).toHaveLength(1);
    expect(wrongImports(file("store/x", 'export {\n  a,\n  b,\n} from "#api/x";'))).toHaveLength(1);
    expect(wrongImports(file("api/x", 'let a: import("#store/users/users").User;'))).toHaveLength(1);
    expect(wrongImports(file("api/x", 'import "#store/users/users";'))).toHaveLength(1);
    expect(wrongImports(file("api/x", 'const a = await import("../store/users/users.ts");'))).toHaveLength(1);
    expect(wrongImports(file("api/x", 'import { sql } from "kysely";'))).toHaveLength(1);
    expect(
      wrongImports(file("api/x", 'import { a } from "#operations/a";\nimport b from "fastify";')),
    ).toEqual([]);
  });
});

/** The folders of `api` and of `operations`. */
const NOUNS = "http notebooks service quota files users watch sharing runs reports".split(" ");

/** The folders of each room in order. A folder may import only the preceding folders. */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  api: NOUNS,
  operations: NOUNS,
  backends: ["process", "gpus", "walls", "containers", "local"],
  "backends/process": ["table", "attempt", "cgroups", "slots", "keeper"],
  "backends/walls": ["kerberos", "grid"],
  "backends/containers": ["archives", "images", "apptainer"],
  "backends/local": ["images", "orders", "attempts"],
  runner: ["engine", "turn", "jobs", "files", "inputs", "outputs", "loop"],
  workspace: [
    "threads",
    "find",
    "comparison",
    "read",
    "write",
    "contents",
    "staging",
    "results",
    "equivalence",
    "remove",
    "usage",
  ],
  "engines/cwl": [
    "model",
    "documents",
    "expressions",
    "values",
    "load",
    "checks",
    "command",
    "outputs",
    "flow",
  ],
  "engines/yadage": ["state", "steps", "stages", "load", "results", "flow"],
};

/** Rooms in which an unlisted folder ranks above the listed folders, for example a further backend. */
const OPEN_TOPS = ["backends"];

/** The rooms whose folders may not import the files on top of the room. */
const CLOSED_TOPS = ["api"];

describe("the folders of a room import in one direction", () => {
  test.each(Object.entries(ORDER))("%s", (room, order) => {
    const inside = sources.filter((file) => isProduct(file) && file.name.startsWith(`${room}/`));
    const folders = new Set(inside.flatMap(({ name }) => folderIn(room, name) ?? []));
    const unlisted = [...folders].filter((folder) => !order.includes(folder));
    if (!OPEN_TOPS.includes(room)) expect(unlisted).toEqual([]);
    expect(inside.flatMap((file) => importsAgainstTheOrder(file, room))).toEqual([]);
  });

  test("an import against the order is found", () => {
    const found = (room: string, name: string, target: string) =>
      importsAgainstTheOrder({ ...EMPTY, name, imports: [target] }, room);
    expect(found("api", "api/http/paths", "#api/files/list-files")).toHaveLength(1);
    expect(found("api", "api/files/list-files", "#api/runs/list-workflows")).toHaveLength(1);
    expect(found("api", "api/files/list-files", "#api/routes")).toHaveLength(1);
    expect(found("api", "api/runs/list-workflows", "#api/files/list-files")).toEqual([]);
    expect(found("api", "api/routes", "#api/files/list-files")).toEqual([]);
    expect(found("operations", "operations/files/list-files", "#operations/context")).toEqual([]);
    expect(found("backends", "backends/process/slots/keeper", "#backends/local/local-backend")).toHaveLength(
      1,
    );
    expect(found("backends", "backends/nice/nice-backend", "#backends/local/local-backend")).toEqual([]);
    expect(found("backends", "backends/local/order", "#backends/nice/nice-backend")).toHaveLength(1);
    const climb = ["backends/process/attempt/record", "#backends/process/slots/keeper"] as const;
    expect(found("backends", ...climb)).toEqual([]);
    expect(found("backends/process", ...climb)).toHaveLength(1);
  });
});

describe("sibling folders of a room do not import each other", () => {
  test("in any room", () => {
    expect(mutualPairs(sources)).toEqual([]);
  });

  test("a new pair is found, however deep its files are", () => {
    const files = [
      { ...EMPTY, name: "store/a/one", imports: ["#store/b/deep/two"] },
      { ...EMPTY, name: "store/b/three", imports: ["#store/a/deep/four", "#store/c/five"] },
      { ...EMPTY, name: "store/c/five", imports: ["#store/top"] },
      { ...EMPTY, name: "store/c/five.test", isTest: true, imports: ["#store/b/three"] },
    ];
    expect(mutualPairs(files)).toEqual(["store/a + store/b"]);
  });
});

describe("no engine imports another: they share the files on top of their room, `steps` and `dask`", () => {
  const SHARED = ["steps", "dask"];
  const others = ({ name, imports }: Pick<SourceFile, "name" | "imports">) =>
    imports.filter((target) => {
      const engine = target.startsWith("#engines/") ? folderOf(target) : undefined;
      return engine !== undefined && !SHARED.includes(engine) && engine !== folderOf(name);
    });

  test("in any file of an engine", () => {
    const engines = sources.filter(({ name, isTest }) => roomOf(name) === "engines" && !isTest);
    expect(engines.flatMap(others)).toEqual([]);
  });

  test("an import of another engine is found", () => {
    const imports = ["#engines/serial/plan"];
    expect(others({ name: "engines/cwl/flow/flow", imports })).toHaveLength(1);
    expect(others({ name: "engines/steps/retries", imports })).toHaveLength(1);
    expect(others({ name: "engines/documents", imports })).toHaveLength(1);
    expect(others({ name: "engines/serial/judge", imports })).toEqual([]);
  });
});

test("no file imports itself by way of others", () => {
  expect(findCycle(new Map(sources.map((file) => [file.name, internalImports(file)])))).toEqual([]);
  expect(findCycle(new Map(Object.entries({ a: ["b"], b: ["c"], c: ["a"] })))).toEqual(["a", "b", "c", "a"]);
});

describe("time and randomness come from Clock and Random alone", () => {
  const homes = new Set(["plumbing/clock", "plumbing/ids"]);
  const forbidden =
    /\bDate\.now\b|\bMath\.random\b|\bnew Date\(\s*\)|\brandomUUID\b|\brandomBytes\b|\brandomInt\b|\bgetRandomValues\b/;

  const foundIn = ({ code }: Pick<SourceFile, "code">) => forbidden.exec(code)?.slice(0, 1) ?? [];

  test("in all product code", () => {
    const others = sources.filter((file) => !file.isTest && !homes.has(file.name));
    expect(faultsByFile(others, foundIn)).toEqual({});
  });

  test("another source is found", () => {
    expect(foundIn({ code: "const now = Date.now();" })).toEqual(["Date.now"]);
    expect(foundIn({ code: "const now = clock.now();" })).toEqual([]);
  });
});

describe("a process that cannot be started is reported where it was started: `startProcess` alone spawns", () => {
  const isSpawnedAlone = (code: string) =>
    /\bspawn\(/.test(code.replaceAll(/\bstartProcess\(\(\) =>\s*spawn\(/g, ""));

  test("in all product code", () => {
    const guilty = sources.filter(
      (file) => isProduct(file) && file.name !== "plumbing/start-process" && isSpawnedAlone(file.code),
    );
    expect(guilty.map(({ name }) => name)).toEqual([]);
  });

  test("another start is found", () => {
    expect(isSpawnedAlone('const child = spawn("git", args);')).toBe(true);
    expect(isSpawnedAlone('await startProcess(() =>\n  spawn("git", args),\n);')).toBe(false);
  });
});

test("only backends, for real processes, measure time that passes by another clock than the one clock", () => {
  const measuring = sources.filter(
    (file) =>
      !file.isTest && file.name !== "plumbing/clock" && /\bperformance\.now\b|\bhrtime\b/.test(file.code),
  );
  expect(measuring.map((file) => roomOf(file.name)).filter((room) => room !== "backends")).toEqual([]);
});

test("plumbing does not know the word workflow", () => {
  const knowing = sources.filter((file) => roomOf(file.name) === "plumbing" && /workflow/i.test(file.text));
  expect(knowing.map((file) => file.name)).toEqual([]);
});

describe("the web page knows the server only by its API", () => {
  const folder = path.join(import.meta.dirname, "..", "..", "ui", "src");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const strange = (name: string, code: string) =>
    importsOf(code).filter((target) => {
      if (target.startsWith("#") || /^reprise(\/|$)|^node:/.test(target)) return true;
      return target.startsWith(".") && path.posix.join(path.posix.dirname(name), target).startsWith("..");
    });

  test("in all files of the page", () => {
    expect(files.length).toBeGreaterThan(0);
    const read = files.map((name) => ({ name, code: readFileSync(path.join(folder, name), "utf8") }));
    expect(faultsByFile(read, ({ name, code }) => strange(name, code))).toEqual({});
  });

  test("an import of the server's code is found, however it is written", () => {
    for (const target of ["../../../server/src/workflow/job/job.ts", "#workflow/job/job", "node:fs"]) {
      expect(strange("pages/runs/a.tsx", `import { a } from "${target}";`)).toHaveLength(1);
    }
    expect(strange("pages/runs/a.tsx", 'import { a } from "../../parts/a.tsx";')).toEqual([]);
  });
});

test("no module has a default export", () => {
  const guilty = sources.filter((file) => /^export default\b/m.test(file.code));
  expect(guilty.map((file) => file.name)).toEqual([]);
});

/** Maps `api/files/list-files` to `files`, and `api/routes` to undefined. */
function folderOf(name: string): string | undefined {
  const [, folder, file] = name.split("/");
  return file === undefined ? undefined : folder;
}

/** True for product code, false for test code. */
function isProduct({ name, isTest }: SourceFile): boolean {
  return !isTest && !name.endsWith("-fixture");
}

/** Returns the folder of the room that holds the file. Undefined if the file is elsewhere or on top of the room. */
function folderIn(room: string, name: string): string | undefined {
  if (!name.startsWith(`${room}/`)) return undefined;
  const [folder, file] = name.slice(room.length + 1).split("/");
  return file === undefined ? undefined : folder;
}

function importsAgainstTheOrder(file: SourceFile, room: string): string[] {
  const order = ORDER[room]!;
  const folder = folderIn(room, file.name);
  if (folder === undefined) return [];
  return internalImports(file).filter((target) => {
    if (!target.startsWith(`${room}/`)) return false;
    const other = folderIn(room, target);
    // Machinery that is on top in `operations` (the context, permissions) is `http` in `api`.
    if (other === undefined) return CLOSED_TOPS.includes(room);
    const rank = (one: string) => (order.includes(one) ? order.indexOf(one) : order.length);
    return rank(other) > rank(folder);
  });
}

/** Returns pairs of sibling folders with imports in both directions. */
function mutualPairs(files: readonly SourceFile[]): string[] {
  const arrows = new Set(
    files
      .filter(isProduct)
      .flatMap((file) => internalImports(file).flatMap((to) => arrowOf(file.name, to) ?? [])),
  );
  const pairs = [...arrows].filter((arrow) => {
    const [from, to] = arrow.split(" + ") as [string, string];
    return from < to && arrows.has(`${to} + ${from}`);
  });
  return pairs.toSorted();
}

/** Returns the two folders, with the same parent, between which an import goes. Undefined if a file is in the parent. */
function arrowOf(from: string, to: string): string | undefined {
  const [here, there] = [from.split("/"), to.split("/")];
  const shared = here.findIndex((part, at) => part !== there[at]);
  if (shared < 1 || shared >= here.length - 1 || shared >= there.length - 1) return undefined;
  return [here, there].map((parts) => parts.slice(0, shared + 1).join("/")).join(" + ");
}

/** Maps `store/dialects/sqlite` to `store`. */
function roomOf(name: string): string {
  return name.split("/")[0]!;
}

function wrongImports(file: SourceFile): string[] {
  const room = roomOf(file.name);
  const allowed = new Set([room, ...WALLS[room]!]);
  return file.imports.filter((target) => {
    if (target.startsWith(".")) return true;
    if (target.startsWith("#")) return !allowed.has(roomOf(target.slice(1)));
    return !file.isTest && OUTSIDE.some(([module, homes]) => module.test(target) && !isAt(file.name, homes));
  });
}

function isAt(name: string, homes: readonly string[]): boolean {
  return homes.some((home) => name === home || name.startsWith(`${home}/`) || name.startsWith(`${home}-`));
}

function internalImports(file: SourceFile): string[] {
  return file.imports.filter((target) => target.startsWith("#")).map((target) => target.slice(1));
}

/** Returns the files of an import cycle, with the first file repeated at the end; empty without a cycle. */
function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const finished = new Set<string>();
  const walk = (name: string, above: readonly string[]): string[] => {
    if (above.includes(name)) return [...above.slice(above.indexOf(name)), name];
    if (finished.has(name)) return [];
    for (const next of graph.get(name) ?? []) {
      const cycle = walk(next, [...above, name]);
      if (cycle.length > 0) return cycle;
    }
    finished.add(name);
    return [];
  };
  for (const name of graph.keys()) {
    const cycle = walk(name, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

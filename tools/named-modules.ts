import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { type ESTree, parseSync, Visitor } from "rolldown/utils";

/** Modules and files named by a text instead of an import. The package must contain them. */
export interface Named {
  /** Paths below the folder of the sources, without an ending. */
  readonly modules: readonly string[];
  /** Modules that the package contains as programs of one file each. */
  readonly programs: readonly string[];
  /** Files read relative to a module, as paths relative to the folder of the sources. */
  readonly files: readonly string[];
  /** Sentences about module names that the scan cannot resolve. */
  readonly problems: readonly string[];
}

/** The functions for naming a module and a program, and their defining module. */
const [NAMER, PROGRAM_NAMER] = ["ownModule", "ownProgram"];
const HOME = "plumbing/own-module.ts";
/** Load a module named by their callers: `runThread(ownModule("#…"), …)`, `workerRuntime({ module: ownModule("#…") })`. */
const LOADERS = ["runner/engine/engine-worker.ts", "workspace/threads/run-thread.ts"];
const TEST = /(\.test|-suite|-fixture)\.ts$|(^|\/)fake-[^/]*\.ts$/;
const MAY_NAME = new RegExp(
  `import\\.meta|\\bimport\\(|\\bWorker\\b|\\bfork\\b|\\b(${NAMER}|${PROGRAM_NAMER})\\b`,
);

/** Finds the named modules and files of a folder of sources, apart from its tests. */
export function findNamed(sources: string): Named {
  const files = globSync("**/*.ts", { cwd: sources }).filter((file) => !TEST.test(file) && file !== HOME);
  const found = files.toSorted().map((file) => namedBy(file, readFileSync(path.join(sources, file), "utf8")));
  return {
    modules: [...new Set(found.flatMap(({ modules }) => modules))],
    programs: [...new Set(found.flatMap(({ programs }) => programs))],
    files: [...new Set(found.flatMap((one) => one.files))],
    problems: found.flatMap(({ problems }) => problems),
  };
}

/** Finds the modules and files that one source names. */
export function namedBy(file: string, code: string): Named {
  const modules: string[] = [];
  const programs: string[] = [];
  const files: string[] = [];
  const problems: string[] = [];
  if (!MAY_NAME.test(code)) return { modules, programs, files, problems };
  const refuse = ({ start }: ESTree.Span, what: string) => {
    const line = code.slice(0, start).split("\n").length;
    problems.push(`${file}:${line} ${what}, so the build cannot tell which module the package needs.`);
  };
  /** Start of each `import.meta` that is used in a known way. */
  const known = new Set<number>();

  const startsModule = (call: ESTree.CallExpression | ESTree.NewExpression) => {
    const [target, options] = call.arguments;
    if (!isNamer(target) && !isEvaluated(options) && !LOADERS.includes(file))
      refuse(call, `starts a module that is not given as ${NAMER}("#…")`);
  };
  new Visitor({
    CallExpression(call) {
      const namer = nameOf(call.callee);
      if (namer === NAMER || namer === PROGRAM_NAMER) {
        const name = textOf(call.arguments[0]);
        if (name === undefined) refuse(call, `calls ${namer} with something other than a plain text`);
        else (namer === NAMER ? modules : programs).push(name.replace(/^#/, ""));
      } else if (nameOf(call.callee) === "createRequire") known.add(metaStart(call.arguments[0]));
      else if (nameOf(call.callee) === "fork") startsModule(call);
    },
    NewExpression(call) {
      const name = nameOf(call.callee);
      if (name === "Worker") startsModule(call);
      if (name !== "URL" || metaStart(call.arguments[1]) === NOWHERE) return;
      const place = textOf(call.arguments[0]);
      if (place === undefined || /\.[cm]?[jt]s$/.test(place)) return;
      known.add(metaStart(call.arguments[1]));
      if (path.extname(place) !== "") files.push(path.join(path.dirname(file), place));
    },
    ImportExpression(node) {
      if (textOf(node.source) === undefined && !LOADERS.includes(file))
        refuse(node, "imports a module by a variable");
    },
    MetaProperty(node) {
      if (code.slice(node.start, node.end) === "import.meta" && !known.has(node.start))
        refuse(node, `makes an address of import.meta other than new URL("<file that is not a module>", …)`);
    },
  }).visit(parseSync(file, code).program);
  return { modules, programs, files, problems };
}

type MaybeNode = ESTree.Argument | ESTree.Expression | undefined;

function isNamer(node: MaybeNode): boolean {
  return node?.type === "CallExpression" && nameOf(node.callee) === NAMER;
}

/** True for the options of a thread whose code is a text. */
function isEvaluated(options: MaybeNode): boolean {
  return (
    options?.type === "ObjectExpression" &&
    options.properties.some((one) => one.type === "Property" && nameOf(one.key) === "eval")
  );
}

/** Returns the last word of a name: `fork` for `fork` and for `childProcess.fork`. */
function nameOf(node: ESTree.Node): string | undefined {
  if (node.type === "Identifier") return node.name;
  return node.type === "MemberExpression" ? nameOf(node.property) : undefined;
}

function textOf(node: MaybeNode): string | undefined {
  return node?.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}

const NOWHERE = -1;

/** Returns where the `import.meta` of an `import.meta.url` starts. */
function metaStart(node: MaybeNode): number {
  const isUrl = node?.type === "MemberExpression" && nameOf(node.property) === "url";
  return isUrl && node.object.type === "MetaProperty" ? node.object.start : NOWHERE;
}

import { type YadageContext, jqOnce } from "#engines/yadage/state/context";
import type { InterpolatedPublisher, JqPublisher, Publisher } from "#engines/yadage/model";
import { contextualized, inTemplate, sortedKeys } from "#engines/yadage/steps/parameters";
import { absolute, joined, maybeRelative, withoutFolder, WORKSPACE } from "#engines/yadage/state/places";
import { mapLeaves } from "#engines/yadage/state/references";
import { StageError } from "#engines/yadage/state/stage-error";
import type { Facts, Node } from "#engines/yadage/state/state";
import { messageOf, Refusal } from "#plumbing/errors";
import { parseYaml } from "#plumbing/formats/yaml";
import { hasMagic } from "#plumbing/text/glob";

/** The result published by a node, or the questions without answers. */
export type Published =
  | { readonly kind: "result"; readonly value: unknown }
  | { readonly kind: "needs"; readonly questions: readonly Question[] };

/** `path` is relative to the workspace. */
export type Question =
  | { readonly ask: "look"; readonly path: string }
  | { readonly ask: "glob"; readonly path: string }
  | { readonly ask: "read"; readonly path: string };

/** The publisher of `init`. */
export function initPublisher(discover: boolean, relative: boolean): JqPublisher {
  return {
    publisher_type: "fromparjq-pub",
    script: ".",
    tryExact: true,
    glob: discover,
    relative_paths: relative,
  };
}

/** Returns the result of a node before it has run, if it depends only on the parameters. Otherwise undefined. */
export function maybePrepublished(
  context: YadageContext,
  publisher: Publisher,
  node: Node,
): { value: unknown } | undefined {
  const type = publisher.publisher_type;
  const isKnown =
    type === "constant-pub" ||
    type === "frompar-pub" ||
    (type === "interpolated-pub" && !publisher.glob) ||
    (type === "fromparjq-pub" && !publisher.glob && !publisher.relative_paths);
  if (!isKnown) return undefined;
  const published = publish(context, publisher, node, null);
  return published.kind === "result" ? { value: published.value } : undefined;
}

export function publish(
  context: YadageContext,
  publisher: Publisher,
  node: Node,
  facts: Facts | null,
): Published {
  const files = new Files(facts);
  const value = valueOf(context, publisher, node, files);
  return files.questions.length > 0
    ? { kind: "needs", questions: files.questions }
    : { kind: "result", value };
}

function valueOf(context: YadageContext, publisher: Publisher, node: Node, files: Files): unknown {
  switch (publisher.publisher_type) {
    case "constant-pub":
      return publisher.publish;
    case "frompar-pub":
      return fromParameters(contextualized(node), publisher.outputmap);
    case "interpolated-pub":
      return interpolated(publisher, node, files);
    case "fromparjq-pub":
      return fromJq(context, publisher, node, files);
    case "fromglob-pub":
      return { [publisher.outputkey]: files.glob(`${workdirOf(node)}/${publisher.globexpression}`) };
    case "fromyaml-pub":
      return fromYaml(context, `${workdirOf(node)}/${publisher.yamlfile}`, files);
  }
}

function workdirOf({ folder }: Node): string {
  return absolute(folder ?? "");
}

function fromParameters(parameters: unknown, outputmap: unknown): unknown {
  return mapLeaves(outputmap, (leaf) => {
    const key = String(leaf);
    const isMap = typeof parameters === "object" && parameters !== null;
    if (isMap && Object.hasOwn(parameters, key)) return (parameters as Record<string, unknown>)[key];
    throw new StageError(`its publisher names the parameter "${key}", which it does not have`);
  });
}

function interpolated(publisher: InterpolatedPublisher, node: Node, files: Files): unknown {
  const parameters = sortedKeys(contextualized(node));
  const workdir = workdirOf(node);
  return mapLeaves(publisher.publish, (leaf) => {
    if (typeof leaf !== "string") return leaf;
    const text = inTemplate(leaf, parameters, { workdir, flattens: false, what: "its publisher" });
    const path = publisher.relative_paths ? joined(workdir, text) : text;
    if (!publisher.glob) return path;
    const found = files.glob(path);
    return found.length > 0 ? found : text;
  });
}

function fromJq(context: YadageContext, publisher: JqPublisher, node: Node, files: Files): unknown {
  const result = jqOnce(context, publisher.script, sortedKeys(contextualized(node)));
  const folder = node.folder ?? (node.readonly.length === 1 ? node.readonly[0]! : null);
  if (folder === null) return result;
  return mapLeaves(result, (leaf) => {
    if (typeof leaf !== "string") return leaf;
    const path = publisher.relative_paths ? joined(absolute(folder), leaf) : leaf;
    if (publisher.tryExact && files.exists(path)) return path;
    if (!publisher.glob) return leaf;
    const found = files.glob(path);
    return found.length > 0 ? found : leaf;
  });
}

const YAML_MAX_BYTES = 1 << 20;

function fromYaml({ run }: YadageContext, path: string, files: Files): unknown {
  const text = files.read(path);
  if (text === undefined) return null;
  try {
    return parseYaml(withoutFolder(text, run.workspaceFolder), {
      maxBytes: YAML_MAX_BYTES,
      what: maybeRelative(path)!,
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new StageError(`what it publishes cannot be read: ${messageOf(error)}`);
  }
}

/** A longer text is not taken for a path. */
const PATH_MAX = 1000;

/** Looks up files in the known facts, and collects the open questions. */
class Files {
  readonly questions: Question[] = [];
  readonly #facts: Facts | null;

  constructor(facts: Facts | null) {
    this.#facts = facts;
  }

  exists(path: string): boolean {
    const place = placeOf(path);
    if (place === undefined) return false;
    if (place === "") return true;
    const known = this.#facts?.found[place];
    if (known === undefined) this.questions.push({ ask: "look", path: place });
    return known ?? false;
  }

  glob(pattern: string): string[] {
    if (!hasMagic(pattern)) return this.exists(pattern) ? [pattern] : [];
    const place = placeOf(pattern);
    if (place === undefined) return [];
    const known = this.#facts?.globs[place];
    if (known === undefined) this.questions.push({ ask: "glob", path: place });
    return (known ?? []).map((path) => `${WORKSPACE}/${path}`);
  }

  read(path: string): string | undefined {
    const place = placeOf(path);
    if (place === undefined) throw new StageError("what it publishes lies outside the workspace");
    const known = this.#facts?.texts[place];
    if (known === undefined) this.questions.push({ ask: "read", path: place });
    return known;
  }
}

function placeOf(path: string): string | undefined {
  return path.length > PATH_MAX || /[\0\n]/.test(path) ? undefined : maybeRelative(path);
}

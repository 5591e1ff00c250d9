/** The superclasses of each format, by address. */
export type Superclasses = ReadonlyMap<string, ReadonlySet<string>>;

/** Reads the superclasses of formats from ontologies, in RDF/XML or Turtle. Ignores all other statements. */
export function superclassesIn(texts: readonly string[]): Superclasses {
  const found = new Map<string, Set<string>>();
  const add = (one: string, other: string) => {
    const known = found.get(one) ?? new Set();
    found.set(one, known.add(other));
  };
  const relate: Relate = (subject, relation, object) => {
    add(subject, object);
    if (relation === "equivalentClass") add(object, subject);
  };
  for (const text of texts) {
    if (/^\s*(?:<\?xml|<!DOCTYPE|<rdf:RDF)/.test(text)) readXml(text, relate);
    else readTurtle(text, relate);
  }
  return found;
}

/** Returns all superclasses of a format, including the format itself. */
export function ancestorsOf(superclasses: Superclasses, format: string): readonly string[] {
  const reached = new Set([format]);
  for (const one of reached) for (const above of superclasses.get(one) ?? []) reached.add(above);
  return [...reached];
}

type Relate = (subject: string, relation: string, object: string) => void;

const XML_PART =
  /<(?:\w+:)?(?:Class|Description)\s[^>]*?rdf:about="([^"]*)"|<\w+:(subClassOf|equivalentClass)\s[^>]*?rdf:resource="([^"]*)"/g;

function readXml(text: string, relate: Relate): void {
  const entities = new Map(
    [...text.matchAll(/<!ENTITY\s+(\w+)\s+"([^"]*)"/g)].map((one) => [one[1]!, one[2]!]),
  );
  const base = /xml:base="([^"]*)"/.exec(text)?.[1] ?? "";
  const whole = (name: string) => {
    const plain = name.replaceAll(/&(\w+);/g, (entity, word: string) => entities.get(word) ?? entity);
    return plain.startsWith("#") ? base + plain : plain;
  };
  let subject: string | undefined;
  for (const [, about, relation, resource] of text.matchAll(XML_PART)) {
    if (about !== undefined) subject = whole(about);
    else if (subject !== undefined) relate(subject, relation!, whole(resource!));
  }
}

const TURTLE_WORD =
  /<([^>\s]*)>|"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^\S+)?|#[^\n]*|[;,.[\]](?=\s|$)|[^\s;,<>"[\]]+/g;

function readTurtle(text: string, relate: Relate): void {
  const prefixes = new Map(
    [...text.matchAll(/@?prefix\s+([\w-]*):\s*<([^>]*)>/gi)].map((one) => [one[1]!, one[2]!]),
  );
  let subject: string | undefined;
  let relation: string | undefined;
  for (const [word, address] of text.matchAll(TURTLE_WORD)) {
    if (word.startsWith("#") || /^@?prefix$/i.test(word)) continue;
    if (word === ".") [subject, relation] = [undefined, undefined];
    else if (word === ";") relation = undefined;
    else if (word === ",") continue;
    else if (subject === undefined) subject = address ?? written(prefixes, word);
    else if (relation === undefined) relation = address ?? written(prefixes, word);
    else {
      const name = /(?:#|\/)(subClassOf|equivalentClass)$/.exec(relation)?.[1];
      if (name !== undefined) relate(subject, name, address ?? written(prefixes, word));
    }
  }
}

function written(prefixes: ReadonlyMap<string, string>, word: string): string {
  const cut = word.indexOf(":");
  const base = cut === -1 ? undefined : prefixes.get(word.slice(0, cut));
  return base === undefined ? word : base + word.slice(cut + 1).replace(/\.$/, "");
}

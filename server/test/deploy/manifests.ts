import { readFileSync } from "node:fs";
import path from "node:path";
import { parseYaml } from "#plumbing/formats/yaml";
import { ROOT } from "../guides/blocks.ts";

/** An object of Kubernetes, as far as the tests of the chart look at one. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly rules?: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** Returns the objects that helm made of the chart with the values of that name, in helm's order. */
export function manifestsWith(values: string): readonly Manifest[] {
  return manifestsIn(readFileSync(path.join(ROOT, "fixtures", "chart", `${values}.yaml`), "utf8"));
}

function manifestsIn(text: string): readonly Manifest[] {
  return text
    .split(/^---$/m)
    .map((part) => parseYaml(part, { maxBytes: 2 ** 20, what: "a manifest", schema: "core" }))
    .filter((value) => value !== null) as Manifest[];
}

/** Returns the only object of that kind and, if given, that name. */
export function only(manifests: readonly Manifest[], kind: string, name?: string): Manifest {
  const found = manifests.filter(
    (one) => one.kind === kind && (name === undefined || one.metadata.name === name),
  );
  if (found.length !== 1) throw new Error(`${found.length} objects of the kind ${kind}, in place of one.`);
  return found[0]!;
}

const PLURALS: Readonly<Record<string, string>> = {
  NetworkPolicy: "networkpolicies",
  Ingress: "ingresses",
};
const OF_CLUSTER: ReadonlySet<string> = new Set([
  "Namespace",
  "PersistentVolume",
  "ClusterRole",
  "ClusterRoleBinding",
]);

/** Returns the path of an object in the API. */
export function pathOf({ apiVersion, kind, metadata }: Manifest): string {
  const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  const place = OF_CLUSTER.has(kind) ? "" : `/namespaces/${metadata.namespace ?? "reprise"}`;
  return `${root}${place}/${PLURALS[kind] ?? `${kind.toLowerCase()}s`}/${metadata.name}`;
}

import { readFileSync } from "node:fs";
import path from "node:path";
import { isObject } from "#workflow/specification/shape";

/** Facts about an image, from the folder in which Apptainer keeps the parts of an image before it unpacks them. */
export interface LayoutImage {
  /** Digest of the manifest. A manifest in docker's own format has been converted to the format of OCI before. */
  readonly digest: string;
  readonly architecture: string;
  readonly bytes: number;
  readonly entrypoint: readonly string[];
}

/** Reads the only image of a folder in the OCI layout. */
export function layoutImage(folder: string): LayoutImage {
  const read = (file: string): unknown => JSON.parse(readFileSync(path.join(folder, file), "utf8"));
  const blob = (digest: unknown) => read(`blobs/${String(digest).replace(":", "/")}`);
  const at = (value: unknown, ...keys: readonly string[]): unknown =>
    keys.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  const digest = String(at(list(at(read("index.json"), "manifests")).at(-1), "digest"));
  const manifest = blob(digest);
  const config = blob(at(manifest, "config", "digest"));
  const architecture = at(config, "architecture");
  return {
    digest,
    architecture: typeof architecture === "string" ? architecture : "",
    bytes: list(at(manifest, "layers")).reduce<number>((sum, layer) => sum + Number(at(layer, "size")), 0),
    entrypoint: list(at(config, "config", "Entrypoint")).filter((word) => typeof word === "string"),
  };
}

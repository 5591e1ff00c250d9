import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { ROOT } from "./project.ts";

/** The folder of the chart. */
export const CHART = path.join(ROOT, "deploy", "chart");
const VALUES = "fixtures/chart";
const CACHE = path.join(
  process.env["XDG_CACHE_HOME"] ?? path.join(os.homedir(), ".cache"),
  "reprise-clusters",
);
const HELM = path.join(CACHE, "helm", "helm");

/** The command that builds helm. CI does not run it, because the build takes ten minutes. */
export const GET_HELM = `GOBIN=${path.dirname(HELM)} go install helm.sh/helm/v3/cmd/helm@v3.22.0`;

/** Returns the path of helm. Undefined if nobody has built it on this machine. */
export function maybeHelm(): string | undefined {
  return existsSync(HELM) ? HELM : undefined;
}

/**
 * Returns the manifests that helm makes of the chart, by path: one file for each file of values. Without helm, returns
 * the stored manifests, if the chart and the values have not changed since.
 */
export function chartManifests(helm = maybeHelm()): readonly (readonly [string, string])[] {
  const names = globSync("*.values.yaml", { cwd: path.join(ROOT, VALUES) }).toSorted();
  return names.map((name) => {
    const file = `${VALUES}/${name.replace(".values", "")}`;
    const head = `# npm run generate made this from deploy/chart and ${name}: ${digestOf(name)}\n`;
    return [file, helm === undefined ? stored(file, head) : head + rendered(helm, name)];
  });
}

function rendered(helm: string, values: string): string {
  const words = ["template", "reprise", CHART, "--namespace", "reprise", "--kube-version", "1.34.0"];
  return execFileSync(helm, [...words, "--values", path.join(ROOT, VALUES, values)], { encoding: "utf8" });
}

function stored(file: string, head: string): string {
  const text = existsSync(path.join(ROOT, file)) ? readFileSync(path.join(ROOT, file), "utf8") : "";
  if (text.startsWith(head)) return text;
  throw new Error(`${file} is out of date, and only helm can make it. Get helm by: ${GET_HELM}`);
}

/** Returns a checksum of all that the manifests are made of. */
function digestOf(values: string): string {
  const files = globSync("**/*", { cwd: CHART, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name));
  const hash = createHash("sha256");
  for (const file of [...files.toSorted(), path.join(ROOT, VALUES, values)])
    hash.update(path.relative(ROOT, file)).update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
}

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import type { Cluster } from "#backends/kubernetes/started-kubernetes-fixture";
import { CHART } from "../../../tools/chart.ts";
import { ROOT } from "../guides/blocks.ts";
import { type Manifest, manifestsWith, pathOf } from "./manifests.ts";

/** Installs the chart with the values `tried` in the namespace `reprise`. */
export interface Installer {
  /** Installs the chart, or changes an installation. Another annotation replaces the Pods of the servers. */
  install(annotation: string): Promise<void>;
  uninstall(): Promise<void>;
}

/** Text that stands for a folder in the values, and the folder. */
export type Places = Readonly<Record<string, string>>;

export function installerOf(helm: string | undefined, cluster: Cluster, places: Places): Installer {
  return helm === undefined ? byManifests(cluster, places) : byHelm(helm, cluster, places);
}

function withPlaces(text: string, places: Places): string {
  return Object.entries(places).reduce((changed, [place, folder]) => changed.replaceAll(place, folder), text);
}

function byHelm(helm: string, { kubeconfig, folder }: Cluster, places: Places): Installer {
  const values = path.join(folder, "values.yaml");
  const given = readFileSync(path.join(ROOT, "fixtures", "chart", "tried.values.yaml"), "utf8");
  writeFileSync(values, withPlaces(given, places));
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: folder };
  // The relay to the API server is in this process, which must not stand still.
  const run = async (...words: readonly string[]) =>
    void (await promisify(execFile)(helm, [...words, "--namespace", "reprise"], { env }));
  return {
    async install(annotation) {
      const changes = ["--values", values, "--set", `server.annotations.tried=${annotation}`];
      await run("upgrade", "--install", "reprise", CHART, ...changes);
    },
    uninstall: () => run("uninstall", "reprise"),
  };
}

/** Does with the stored manifests what helm would do. */
function byManifests(cluster: Cluster, places: Places): Installer {
  const manifests = JSON.parse(withPlaces(JSON.stringify(manifestsWith("tried")), places)) as Manifest[];
  const isKept = ({ metadata }: Manifest) => metadata.annotations?.["helm.sh/resource-policy"] === "keep";
  return {
    async install(annotation) {
      for (const manifest of manifests) {
        const query = "fieldManager=test&force=true&fieldValidation=Strict";
        const changed = manifest.kind === "StatefulSet" ? annotated(manifest, annotation) : manifest;
        await cluster.patch(`${pathOf(manifest)}?${query}`, changed, "apply-patch+yaml");
      }
    },
    async uninstall() {
      for (const manifest of manifests.toReversed().filter((one) => !isKept(one)))
        await cluster.call("DELETE", pathOf(manifest));
    },
  };
}

function annotated(manifest: Manifest, tried: string): object {
  const spec = manifest.spec as { template: { metadata: { annotations: object } } };
  const { metadata } = spec.template;
  const annotations = { ...metadata.annotations, tried };
  return {
    ...manifest,
    spec: { ...spec, template: { ...spec.template, metadata: { ...metadata, annotations } } },
  };
}

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { DeviceNode, Gpu } from "#backends/gpus/gpu";
import type { Runtime } from "#backends/containers/runtime";

/** The folders with descriptions of devices for container runtimes, by the Container Device Interface. */
const CDI_FOLDERS = ["/etc/cdi", "/var/run/cdi"];

/**
 * Returns the options that show a container its GPUs and no other device. A description of the device (CDI) also brings the
 * libraries of its driver into the container. The nodes alone do not: the image needs them then.
 */
export function deviceWords(
  { name }: Pick<Runtime, "name">,
  { gpus, nodes }: { readonly gpus: readonly Gpu[]; readonly nodes: readonly DeviceNode[] },
  cdiFolders: readonly string[] = CDI_FOLDERS,
): readonly string[] {
  const nvidia = gpus.filter(({ vendor }) => vendor === "nvidia");
  const isNvidiaOnly = nvidia.length > 0 && nvidia.length === gpus.length;
  // Docker reads the value as a line of comma-separated values.
  if (name === "docker" && isNvidiaOnly) return [`--gpus="device=${nvidia.map(({ id }) => id).join(",")}"`];
  if (name === "apptainer") return nodes.map(({ from, at }) => `--bind=${from}:${at}`);
  const described = isNvidiaOnly ? describedIn(cdiFolders, nvidia) : undefined;
  if (described) return described.map((device) => `--device=nvidia.com/gpu=${device}`);
  return nodes.map(({ from, at }) => `--device=${from}:${at}`);
}

/** Returns the names of the devices in the descriptions, which may have UUIDs, numbers, or both. Undefined if one is missing. */
function describedIn(folders: readonly string[], gpus: readonly Gpu[]): readonly string[] | undefined {
  const names = new Set(folders.flatMap(namesIn));
  const found = gpus.map(({ id, index }) => [id, String(index)].find((one) => names.has(one)));
  return found.every((one) => one !== undefined) ? found : undefined;
}

function namesIn(folder: string): readonly string[] {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => /\.(ya?ml|json)$/.test(file)) : [];
  return files.flatMap((file) => {
    const text = readFileSync(path.join(folder, file), "utf8");
    if (!/"?kind"?:\s*"?nvidia\.com\/gpu\b/.test(text)) return [];
    return [...text.matchAll(/"?name"?:\s*"?([\w-]+)"?/g)].map(([, device]) => device!);
  });
}

import type { BackendCapabilities } from "#workflow/capabilities";
import type { Resources } from "#workflow/job/job";
import { isWished } from "#workflow/wished";

/** The names under which a step asks for GPUs, in every language. */
const GPU_KEYS = [
  "gpus",
  "gpu",
  "nvidia_gpu",
  "kubernetes_gpus",
  "kubernetes_gpu",
  "nvidia.com/gpu",
] as const;

/** The largest number that a step can name. No machine has as many devices. */
export const GPUS_MAX = 1024;

/** A step's demand for GPUs, with the key under which the step names it. */
export interface GpuDemand {
  readonly key: string;
  readonly gpus: number;
}

/** A demand that cannot be read, as the end of a sentence that begins with the step: `gpus is 0.5; it must be …`. */
export interface GpuProblem {
  readonly key: string;
  readonly problem: string;
}

type Wishes = Readonly<Record<string, unknown>>;

export function isGpuKey(key: string): boolean {
  return (GPU_KEYS as readonly string[]).includes(key);
}

/** Returns the demand of a step for GPUs. Undefined if the step asks for none. */
export function gpuDemandIn(wishes: Wishes): GpuDemand | GpuProblem | undefined {
  const [first, ...others] = GPU_KEYS.filter((key) => Object.hasOwn(wishes, key) && isWished(wishes[key]));
  if (first === undefined) return undefined;
  const gpus = countIn(wishes[first]);
  if (gpus === undefined)
    return {
      key: first,
      problem: `${first} is ${JSON.stringify(wishes[first])}; it must be a whole number of GPUs from 0 to ${GPUS_MAX}`,
    };
  const different = others.find((key) => countIn(wishes[key]) !== gpus);
  if (different === undefined) return { key: first, gpus };
  const problem = `${first} is ${gpus} and ${different} is ${JSON.stringify(wishes[different])}; name one of them`;
  return { key: different, problem };
}

/** Returns the number of GPUs that a step asks for. 0 for a demand that cannot be read. */
export function gpusIn(wishes: Wishes): number {
  const demand = gpuDemandIn(wishes);
  return demand && "gpus" in demand ? demand.gpus : 0;
}

/** Accepts `2` and `"2"`, as REANA does for its own numbers. */
function countIn(value: unknown): number | undefined {
  const isDigits = typeof value === "string" && /^\d{1,4}$/.test(value);
  const count = isDigits || typeof value === "number" ? Number(value) : Number.NaN;
  return Number.isInteger(count) && count >= 0 && count <= GPUS_MAX ? count : undefined;
}

/**
 * Returns why a backend cannot give a job as many GPUs, as a sentence about `who`, or undefined if it can or does not
 * know.
 */
export function gpuShortage(
  who: string,
  { key, gpus }: { readonly key?: string; readonly gpus: number },
  backend: Pick<BackendCapabilities, "maxGpus"> | undefined,
): string | undefined {
  const most = backend?.maxGpus?.();
  if (most === undefined || gpus <= most) return undefined;
  const named = key === undefined ? "" : ` (${key})`;
  if (most === 0) return `${who} asks for a GPU${named}, which this server cannot give.`;
  const has = most === 1 ? "has 1 GPU" : `has ${most} GPUs`;
  return `${who} asks for ${gpus} GPUs${named}, and this server ${has}.`;
}

/** Returns the resources with the GPUs of a step. `isHint`: the step also runs without them. */
export function withGpus(
  resources: Resources | undefined,
  gpus: number,
  isHint = false,
): { readonly resources?: Resources } {
  if (gpus === 0) return resources ? { resources } : {};
  const { cores = 1, memoryBytes = 0 } = resources ?? {};
  return { resources: { cores, memoryBytes, gpus, ...(isHint && { gpusAreHint: true }) } };
}

/** Returns the number of GPUs that a job cannot do without. */
export function requiredGpus({ resources }: { readonly resources?: Resources }): number {
  return resources?.gpusAreHint === true ? 0 : (resources?.gpus ?? 0);
}

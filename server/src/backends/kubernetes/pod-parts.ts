import { readFileSync } from "node:fs";
import { messageOf } from "#plumbing/errors";
import { parseYaml } from "#plumbing/formats/yaml";

type Values = Readonly<Record<string, unknown>>;
type Texts = Readonly<Record<string, string>>;

/** The way in which Pods get Kerberos tickets. */
interface KerberosParts {
  /** The image with kinit. Default: the image of the job. */
  readonly image?: string;
  /** The ConfigMap whose key `krb5.conf` is the configuration of Kerberos. Default: the image has it. */
  readonly configMap?: string;
}

/** Parts that an administrator gives to the Pods of all jobs. */
export interface PodParts {
  readonly labels?: Texts;
  readonly annotations?: Texts;
  /** The source of the volume with the repositories of CVMFS, in the form of the API. */
  readonly cvmfs?: Values;
  readonly kerberos?: KerberosParts;
  /** Fields of the specification, in the form of the API. */
  readonly spec: Values;
}

const MAX_BYTES = 2 ** 20;

interface Part {
  readonly isGood: (value: unknown) => boolean;
  readonly wanted: string;
}

const TEXT: Part = { isGood: (value) => typeof value === "string" && value !== "", wanted: "a text" };
const TEXTS: Part = { isGood: isTexts, wanted: "a mapping of texts to texts" };
const PARTS: Readonly<Record<string, Part>> = {
  labels: TEXTS,
  annotations: TEXTS,
  nodeSelector: TEXTS,
  tolerations: { isGood: isListOfMaps, wanted: "a list of tolerations" },
  imagePullSecrets: { isGood: isListOfMaps, wanted: "a list such as [{name: registry}]" },
  priorityClassName: TEXT,
  runtimeClassName: TEXT,
  serviceAccountName: TEXT,
  cvmfs: {
    isGood: isMap,
    wanted: "the source of a volume, such as {persistentVolumeClaim: {claimName: cvmfs}}",
  },
  kerberos: { isGood: isKerberos, wanted: "a mapping with image, configMap, or both" },
};

/** Reads the parts of Pods from a file in YAML. Throws a sentence if a part is unknown or has another form. */
export function readPodParts(file: string): PodParts {
  const { labels, annotations, cvmfs, kerberos, ...spec } = checked(file, parsed(file)) as Values &
    Omit<PodParts, "spec">;
  const own = { labels, annotations, cvmfs, kerberos };
  return { ...Object.fromEntries(Object.entries(own).filter(([, value]) => value)), spec };
}

function parsed(file: string): unknown {
  try {
    return parseYaml(readFileSync(file, "utf8"), { maxBytes: MAX_BYTES, what: file, schema: "core" });
  } catch (error) {
    throw new Error(`--kubernetes-pod ${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function checked(file: string, value: unknown): Values {
  if (!isMap(value)) throw new Error(`--kubernetes-pod ${file} must be a mapping with parts such as labels.`);
  for (const [name, part] of Object.entries(value)) {
    const known = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (!known)
      throw new Error(
        `--kubernetes-pod ${file} has the part ${name}. Known parts: ${Object.keys(PARTS).join(", ")}.`,
      );
    if (!known.isGood(part)) throw new Error(`--kubernetes-pod ${file}: ${name} must be ${known.wanted}.`);
  }
  return value;
}

function isMap(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isKerberos(value: unknown): boolean {
  return (
    isTexts(value) && Object.keys(value as Texts).every((name) => name === "image" || name === "configMap")
  );
}

function isTexts(value: unknown): boolean {
  return isMap(value) && Object.values(value).every((one) => typeof one === "string");
}

function isListOfMaps(value: unknown): boolean {
  return Array.isArray(value) && value.every(isMap);
}

import {
  COMPLETED,
  encoded,
  type Entity,
  FAILED,
  isoTime,
  ref,
  refs,
} from "#operations/reports/crate/json-ld";
import type { Slots } from "#operations/reports/crate/parameter-entities";
import type { RunStep } from "#operations/reports/crate/run-steps";
import { IDS, partsOf, type Software } from "#operations/reports/crate/step-entities";
import type { RunAccount } from "#operations/reports/run-account";
import type { Language } from "#workflow/language";
import { doiAddress } from "#workflow/run/publication";

/** How a crate is made. */
export interface CrateOptions {
  /** False if inputs are only named, with their checksums. */
  readonly hasInputs: boolean;
  /** Address of the licence for the content. */
  readonly license: string | undefined;
  /** Address of the server. */
  readonly server: string;
  /** Version of Reprise. */
  readonly version: string;
}

/** Facts about a run once all files have been packed. */
export interface CrateRun {
  readonly account: RunAccount;
  readonly options: CrateOptions;
  /** Path of the file that describes the workflow. */
  readonly main: string;
  readonly steps: readonly RunStep[];
  readonly values: Slots;
  readonly inputs: Slots;
  readonly outputs: Slots;
  readonly settings: readonly Entity[];
}

export const CONTEXT = [
  "https://w3id.org/ro/crate/1.1/context",
  "https://w3id.org/ro/terms/workflow-run/context",
];

const WORKFLOW_CRATE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0";
const PROFILES: readonly (readonly [id: string, name: string, version: string])[] = [
  ["https://w3id.org/ro/wfrun/process/0.5", "Process Run Crate", "0.5"],
  ["https://w3id.org/ro/wfrun/workflow/0.5", "Workflow Run Crate", "0.5"],
  ["https://w3id.org/ro/wfrun/provenance/0.5", "Provenance Run Crate", "0.5"],
  [WORKFLOW_CRATE, "Workflow RO-Crate", "1.0"],
];
const LANGUAGES: Readonly<Record<Language, readonly [id: string, name: string]>> = {
  cwl: ["https://w3id.org/workflowhub/workflow-ro-crate#cwl", "Common Workflow Language"],
  snakemake: ["https://w3id.org/workflowhub/workflow-ro-crate#snakemake", "Snakemake"],
  yadage: ["#yadage", "Yadage"],
  serial: ["#serial", "Serial workflow of REANA"],
};

export const METADATA = "ro-crate-metadata.json";
export const PREVIEW = "ro-crate-preview.html";
const BIOSCHEMAS = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE";
const TERMS_OF_USE =
  "The owner of the run states no licence. Ask the owner before you use or publish its content.";

export function softwareOf({ account, main }: Pick<CrateRun, "account" | "main">): Software {
  const { version } = account.definition.specification;
  return { version: typeof version === "string" ? version : account.name, url: encoded(main) };
}

/** Returns the times of the run for its actions. A run that was never started has the time of its end alone. */
export function timesOfRun({ run }: RunAccount) {
  const ended = run.finishedAtMs ?? run.stoppedAtMs ?? run.createdAtMs;
  return { startTime: isoTime(run.startedAtMs ?? ended), endTime: isoTime(ended) };
}

/** Yields the root of the crate with the files and actions that it lists, and the entities of the whole run. */
export function* runEntities(
  crate: CrateRun,
  lists: { parts: readonly string[]; actions: readonly string[] },
): Generator<Entity> {
  const { account, options, settings } = crate;
  const { name, owner, annotation, run, madeAtMs } = account;
  const collections = [...crate.inputs.actual, ...crate.outputs.actual].filter((id) =>
    id.startsWith("#files/"),
  );
  const license = options.license ?? IDS.license;
  yield {
    "@id": METADATA,
    "@type": "CreativeWork",
    about: ref("./"),
    conformsTo: refs(["https://w3id.org/ro/crate/1.1", WORKFLOW_CRATE]),
  };
  yield {
    "@id": "./",
    "@type": "Dataset",
    name,
    description: annotation.note || `Run ${name} of a ${run.language} workflow: ${run.status}.`,
    keywords: annotation.tags.length > 0 ? annotation.tags.join(", ") : undefined,
    identifier: run.doi === null ? run.id : [run.id, doiAddress(run.doi)],
    datePublished: isoTime(madeAtMs),
    license: ref(license),
    author: ref(IDS.agent),
    publisher: ref(options.server),
    conformsTo: refs(PROFILES.map(([id]) => id)),
    hasPart: refs(lists.parts),
    mainEntity: ref(encoded(crate.main)),
    mentions: refs([IDS.run, ...lists.actions, ...collections]),
  };
  for (const [id, title, version] of PROFILES)
    yield { "@id": id, "@type": "CreativeWork", name: title, version };
  yield {
    "@id": PREVIEW,
    "@type": "CreativeWork",
    name: `Report on ${name}`,
    about: ref("./"),
    encodingFormat: "text/html",
  };
  yield options.license === undefined
    ? { "@id": license, "@type": "CreativeWork", name: "No licence", description: TERMS_OF_USE }
    : { "@id": license, "@type": "CreativeWork", name: license };
  yield { "@id": IDS.agent, "@type": "Person", name: owner, affiliation: ref(options.server) };
  yield {
    "@id": options.server,
    "@type": "Organization",
    name: `Users of ${options.server}`,
    url: options.server,
  };
  yield {
    "@id": IDS.engine,
    "@type": "SoftwareApplication",
    name: "Reprise",
    softwareVersion: options.version,
    url: options.server,
  };
  const [language, languageName] = LANGUAGES[run.language];
  yield { "@id": language, "@type": "ComputerLanguage", name: languageName };
  yield runAction(crate);
  yield* [crate.values, crate.inputs, crate.outputs].flatMap(({ entities }) => entities);
  yield* settings;
}

/** Returns what makes the file of the workflow the main entity of the crate. */
export function mainProperties(crate: CrateRun): Partial<Entity> {
  const { account, values, inputs, outputs } = crate;
  return {
    "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"],
    name: account.name,
    ...softwareOf(crate),
    conformsTo: ref(BIOSCHEMAS),
    programmingLanguage: ref(LANGUAGES[account.run.language][0]),
    input: refs([...values.formal, ...inputs.formal]),
    output: refs(outputs.formal),
    ...partsOf(crate.steps),
  };
}

function runAction({ account, main, values, inputs, outputs, settings }: CrateRun): Entity {
  const { run, name, failure, restartOf } = account;
  const hasSucceeded = run.status === "finished";
  return {
    "@id": IDS.run,
    "@type": "CreateAction",
    name: `Run ${name}`,
    description:
      restartOf === undefined
        ? `Run of the workflow ${name}.`
        : `Run of the workflow ${name}, a restart of ${restartOf}.`,
    instrument: ref(encoded(main)),
    agent: ref(IDS.agent),
    ...timesOfRun(account),
    actionStatus: hasSucceeded ? COMPLETED : FAILED,
    error: hasSucceeded ? undefined : (failure?.sentence ?? `The run was ${run.status}.`),
    object: refs([...values.actual, ...inputs.actual]),
    result: refs(outputs.actual.length > 0 ? outputs.actual : [PREVIEW]),
    environment: refs(settings.map((one) => one["@id"])),
  };
}

import {
  COMPLETED,
  encoded,
  type Entity,
  FAILED,
  isoTime,
  ref,
  refs,
} from "#operations/reports/crate/json-ld";
import { IDS } from "#operations/reports/crate/step-entities";
import type { JobRecord } from "#store/jobs/jobs";
import { isOpenJob, shownPeak } from "#workflow/job/job";

/** A job as a crate shows it. */
export interface ShownJob {
  readonly job: JobRecord;
  readonly command: string;
  /** Ids of the files read and written by the job, with its log. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

export function jobAction({ ordinal }: Pick<JobRecord, "ordinal">): string {
  return `#job/${ordinal + 1}`;
}

const SECONDS = "https://qudt.org/vocab/unit/SEC";
const BYTES = "https://qudt.org/vocab/unit/BYTE";

/** Makes the entities of jobs. Values that many jobs share are yielded once. */
export class JobEntities {
  readonly #shared = new Set<string>();

  *of(shown: ShownJob): Generator<Entity> {
    const { job, command, reads, writes, startedAtMs, endedAtMs } = shown;
    const id = jobAction(job);
    const usage = [...usageOf(job, id)];
    const environment = Object.entries({ ...shown.environment, backend: job.backend }).map(variableOf);
    const image = job.image === null ? undefined : imageOf(job.image, job.imageDigest);
    const hasSucceeded = job.status === "finished";
    yield {
      "@id": id,
      "@type": "CreateAction",
      name: job.label || job.name || job.key,
      description: command,
      instrument: ref(`#tool/${encoded(job.node)}`),
      agent: ref(IDS.agent),
      startTime: isoTime(startedAtMs),
      endTime: isoTime(endedAtMs),
      actionStatus: hasSucceeded ? COMPLETED : FAILED,
      error: hasSucceeded ? undefined : endOf(job),
      object: refs(reads),
      result: refs(writes),
      containerImage: image && ref(image["@id"]),
      environment: refs(environment.map((one) => one["@id"])),
      resourceUsage: refs(usage.map((one) => one["@id"])),
      disambiguatingDescription:
        job.takenFrom === null ? undefined : (job.detail ?? "Taken over from another run."),
    };
    yield* usage;
    for (const entity of [...environment, ...(image ? [image] : [])]) {
      if (this.#shared.has(entity["@id"])) continue;
      this.#shared.add(entity["@id"]);
      yield entity;
    }
  }
}

function endOf({ reason, exitCode, detail, status }: JobRecord): string {
  if (isOpenJob(status)) return "The run ended before this job.";
  const code = exitCode === null ? "" : ` with code ${exitCode}`;
  return (
    detail ??
    (reason === "exited" ? `The command exited${code}.` : `The job ended${code}: ${reason ?? status}.`)
  );
}

function* usageOf(job: JobRecord, id: string): Generator<Entity> {
  const peakBytes = shownPeak(job);
  const limit = job.memoryLimitBytes;
  if (job.cpuMs !== null) yield measure(`${id}/cpu`, "processor time", "cpu-time", job.cpuMs / 1000, SECONDS);
  if (peakBytes !== null) yield measure(`${id}/memory`, "peak memory", "peak-memory", peakBytes, BYTES);
  if (limit !== null) yield measure(`${id}/limit`, "memory limit", "memory-limit", limit, BYTES);
}

function measure(id: string, name: string, propertyID: string, value: number, unitCode: string): Entity {
  return { "@id": id, "@type": "PropertyValue", name, propertyID, value, unitCode };
}

function variableOf([name, value]: readonly [string, string]): Entity {
  return { "@id": `#environment/${encoded(name)}/${encoded(value)}`, "@type": "PropertyValue", name, value };
}

/** The name of an image: `docker.io/library/python:3.12@sha256:…`. A port follows the first part, a tag the last. */
const IMAGE = /^(?:docker:\/\/)?(?:([^/]*[.:][^/]*|localhost)\/)?([^:@]+)(?::([^@]+))?(?:@.*)?$/;

function imageOf(image: string, digest: string | null): Entity {
  const [, registry = "docker.io", name = image, tag] = IMAGE.exec(image) ?? [];
  return {
    "@id": `#image/${encoded(image)}${digest === null ? "" : `/${encoded(digest)}`}`,
    "@type": "ContainerImage",
    additionalType: ref("https://w3id.org/ro/terms/workflow-run#DockerImage"),
    registry,
    name,
    tag,
    sha256: digest?.replace(/^sha256:/, ""),
  };
}

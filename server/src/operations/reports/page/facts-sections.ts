import {
  block,
  code,
  facts,
  leftOut,
  line,
  section,
  sizeOrNone,
  statusWord,
  tableOf,
  atTime,
} from "#operations/reports/page/parts";
import type { RunAccount } from "#operations/reports/run-account";
import { shownCommand } from "#operations/watch/shown-command";
import { timesOf } from "#operations/watch/get-usage";
import { counted } from "#plumbing/text/counted";
import { duration } from "#plumbing/text/duration";
import { type Markup, markup } from "#plumbing/text/markup";
import { maybeTookMs, shownPeak } from "#workflow/job/job";
import { POWER_USAGE_EFFECTIVENESS, wattHours, WATTS_PER_CORE, WATTS_PER_GIB } from "#workflow/run/energy";
import { doiAddress } from "#workflow/run/publication";

const VALUE_MAX = 500;
const PARAMETERS_MAX = 200;
const SPECIFICATION_MAX = 64 << 10;

/** The section that names the run, the owner, the times and the cause of the start. */
export function runSection(account: RunAccount): Markup {
  const { run, owner, annotation, restartOf, madeAtMs } = account;
  const { queuedMs, wallMs } = timesOf(run, madeAtMs);
  return section(
    "The run",
    facts([
      ["Status", statusWord(run.status)],
      ["Run by", line(owner)],
      ["Language", run.language],
      ["Id", code(run.id)],
      ["DOI", run.doi === null ? undefined : code(doiAddress(run.doi))],
      ["Note", annotation.note === "" ? undefined : line(annotation.note, 2000)],
      ["Tags", annotation.tags.length === 0 ? undefined : line(annotation.tags.join(", "))],
      ["From", run.launcherUrl === null ? undefined : code(run.launcherUrl)],
      ["Restart of", restartOf],
      ["Created", atTime(run.createdAtMs)],
      ["Started", run.startedAtMs === null ? undefined : atTime(run.startedAtMs)],
      ["Ended", atTime(run.finishedAtMs ?? run.stoppedAtMs) || undefined],
      ["Waited", queuedMs === undefined ? undefined : duration(queuedMs)],
      ["Took", wallMs === undefined ? undefined : duration(wallMs)],
    ]),
  );
}

/** Why the run failed, with the command and the last lines of its job. */
export function failureSection({ failure, workspaceFolder }: RunAccount): Markup | string {
  if (!failure) return "";
  const { sentence, job, lastLines } = failure;
  return markup`<section class="card trouble">
    <h2>Why it failed</h2>
    <p>${line(sentence, 2000)}</p>
    ${job ? markup`<h3>Command</h3>${block(shownCommand(job.command, { workspaceFolder, key: job.key }))}` : ""}
    ${lastLines.length > 0 ? markup`<h3>Last lines</h3>${block(lastLines.join("\n"))}` : ""}
  </section>`;
}

export function parametersSection({ definition }: RunAccount): Markup {
  const { specification, inputParameters, operationalOptions } = definition;
  const declared = specification.inputs?.parameters ?? {};
  const all = Object.entries({ ...declared, ...inputParameters });
  const rows = all
    .slice(0, PARAMETERS_MAX)
    .map(([name, value]) => [
      code(name),
      code(shown(value)),
      Object.hasOwn(inputParameters, name) ? "given at the start" : "from the specification",
    ]);
  const options = Object.entries({ ...specification.inputs?.options, ...operationalOptions });
  return section(
    "Parameters",
    rows.length === 0
      ? markup`<p>The run has no parameters.</p>`
      : tableOf("Parameters of the run", ["parameter", "value", "from"], rows),
    leftOut(all.length - rows.length, "parameters"),
    options.length === 0
      ? ""
      : tableOf(
          "Options",
          ["option", "value"],
          options.slice(0, PARAMETERS_MAX).map(([name, value]) => [code(name), code(shown(value))]),
        ),
    markup`<details>
      <summary>The specification</summary>
      ${block(JSON.stringify(specification, null, 2), SPECIFICATION_MAX)}
    </details>`,
  );
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return line(text, VALUE_MAX);
}

/** Program, place and images. */
export function environmentSection({ totals }: RunAccount, version: string): Markup {
  const rows = totals.images.map(({ image, digest, jobs }) => [
    code(image),
    digest === null ? "not used, or not recorded" : code(digest),
    String(jobs),
  ]);
  return section(
    "Environment",
    facts([
      ["Program", `Reprise ${version}`],
      ["Backends", totals.backends.length === 0 ? undefined : line(totals.backends.join(", "))],
    ]),
    rows.length === 0
      ? markup`<p>No job ran in a container image.</p>`
      : tableOf("Images by digest", ["image", "digest", ["jobs", "n"]], rows),
  );
}

export function stepsSection({ totals }: RunAccount): Markup {
  const hasGpus = totals.steps.some(({ gpuMs }) => gpuMs !== undefined);
  const rows = totals.steps.map((step) => [
    line(step.step),
    String(step.jobs),
    String(step.failed),
    step.takenOver === 0 ? "" : String(step.takenOver),
    atTime(step.startedAtMs),
    duration(step.wallMs),
    step.cpuMs === undefined ? "" : duration(step.cpuMs),
    sizeOrNone(step.peakBytes),
    ...(hasGpus ? [step.gpuMs === undefined ? "" : duration(step.gpuMs), sizeOrNone(step.gpuPeakBytes)] : []),
  ]);
  const numbers = ["jobs", "failed", "taken over", "started", "time", "processor time", "peak memory"];
  if (hasGpus) numbers.push("GPU time", "peak GPU memory");
  return section(
    "Steps",
    tableOf("Totals of each step", ["step", ...numbers.map((title) => [title, "n"] as const)], rows),
    totals.hasMoreSteps ? markup`<p class="muted">More steps are not listed.</p>` : "",
  );
}

/** Measured use, and the estimate of energy with its formula. */
export function resourcesSection({ totals }: RunAccount): Markup {
  const { cpuMs, gibMs, unmeasured, count } = totals;
  const hours = (ms: number) => (ms / 3_600_000).toPrecision(3);
  const estimate = wattHours({ cpuMs, gibMs });
  return section(
    "Resources",
    facts([
      ["Jobs", String(count)],
      ["Processor time", duration(cpuMs)],
      [
        "Energy, estimated",
        estimate < 1000 ? `${estimate.toPrecision(3)} Wh` : `${(estimate / 1000).toPrecision(3)} kWh`,
      ],
    ]),
    markup`<p>
        Formula: (processor hours × ${WATTS_PER_CORE} W + GiB hours × ${WATTS_PER_GIB} W) × ${POWER_USAGE_EFFECTIVENESS} =
        (${hours(cpuMs)} h × ${WATTS_PER_CORE} W + ${hours(gibMs)} GiB h × ${WATTS_PER_GIB} W) × ${POWER_USAGE_EFFECTIVENESS}.
      </p>
      <p class="muted">
        Constants from Green Algorithms (doi:10.1002/advs.202100707), for an unknown processor and the world's
        average data centre. GiB hours add up the peak memory of each job times its duration.${
          unmeasured > 0
            ? ` The memory of ${counted(unmeasured, "job")} was not measured, as of jobs under a second, and counts as 0.`
            : ""
        }
        Graphics processors, disks and network are not counted.
      </p>`,
  );
}

/** The jobs, or of a large run its first and its failed jobs. */
export function jobsSection({ totals, workspaceFolder }: RunAccount): Markup {
  const rows = totals.jobs.map((job) => {
    const tookMs = maybeTookMs(job);
    return [
      line(job.label || job.node),
      job.takenFrom === null ? statusWord(job.status) : markup`taken over`,
      atTime(job.startedAtMs),
      tookMs === undefined ? "" : duration(tookMs),
      job.cpuMs === null ? "" : duration(job.cpuMs),
      sizeOrNone(shownPeak(job)),
      job.exitCode === null ? "" : String(job.exitCode),
      code(shownCommand(job.command, { workspaceFolder, key: job.key })),
    ];
  });
  const numbers = ["started", "time", "processor time", "peak memory", "exit code"].map(
    (title) => [title, "n"] as const,
  );
  return section(
    "Jobs",
    rows.length === 0
      ? markup`<p>No job was submitted.</p>`
      : tableOf(
          "Jobs in the order of their submission",
          ["job", "status", ...numbers, ["command", "long"]],
          rows,
        ),
    leftOut(totals.count - rows.length, "jobs"),
  );
}

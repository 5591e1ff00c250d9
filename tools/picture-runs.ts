import { readFile } from "node:fs/promises";
import path from "node:path";

/** The runs shown in the pictures. */

const SPECTRUM = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 220"><rect width="400" height="220" fill="#fff"/><path d="M30 190h350M30 20v170" stroke="#555"/><path d="M30 186c60-4 90-10 120-40s40-116 55-116 25 90 55 118 70 34 120 38" fill="none" stroke="#4a3fd1" stroke-width="3"/></svg>`;

const STEPS = [
  {
    name: "select",
    commands: ["echo 'read 20000 events from 4 files'; seq ${events} > events.txt; sleep 0.6"],
  },
  {
    name: "calibrate",
    kubernetes_memory_limit: "1Gi",
    commands: [
      "echo 'channel 7: gain 1.013'; sleep 0.9; echo 'threshold ${threshold}'; awk 'NR%3' events.txt > calibrated.txt",
    ],
  },
  {
    name: "fit",
    commands: [
      "sleep 0.5; printf 'energy,count\\n91.0,412\\n91.2,633\\n91.4,518\\n' > histogram.csv",
      "printf 'sample ${sample}\\nmean 91.19 +- 0.02 GeV\\nchi2/ndf 1.04\\n' | tee fit.txt",
    ],
  },
  {
    name: "plot",
    kubernetes_memory_limit: "16Mi",
    commands: ["mkdir -p plots; cp spectrum.svg plots/; echo 'wrote plots/spectrum.svg'; sleep 0.3"],
  },
];
const FAILING = [
  ...STEPS.slice(0, 1),
  {
    name: "calibrate",
    commands: [
      "for i in 1 2 3 4 5 6 7 8 9; do seq -f 'event %g corrected' 40; done; printf 'Traceback (most recent call last):\\n  File \"calibrate.py\", line 41, in <module>\\n    gain = table[channel]\\nKeyError: 17\\n' >&2; exit 1",
    ],
  },
  ...STEPS.slice(2),
];
const LIVE = [
  { name: "generate", commands: ["echo 'seed 4711'; sleep 0.4"] },
  {
    name: "simulate",
    commands: [
      "while true; do printf '\\033[32mINFO\\033[0m  shower of 250 GeV, 1432 hits\\n\\033[33mWARN\\033[0m  hit outside of the volume\\n'; sleep 0.3; done",
    ],
  },
  { name: "reconstruct", commands: ["true"] },
];

const FILES = [
  ["spectrum.svg", SPECTRUM],
  ["README.md", "# Peak of the Z\n\nSelects, calibrates and fits.\n"],
] as const;
const CHANGED = STEPS.map((step) =>
  step.name === "fit"
    ? {
        ...step,
        commands: [
          "printf 'energy,count\\n91.0,402\\n91.2,641\\n91.4,518\\n' > histogram.csv",
          "printf 'sample ${sample}\\nmean 91.18 +- 0.02 GeV\\nchi2/ndf 1.01\\n' | tee fit.txt",
        ],
      }
    : step,
);

type Steps = readonly { readonly name: string; readonly commands: readonly string[] }[];

/** Makes the runs, users and policies that the pictures show. */
export async function makeRuns(url: string, data: string): Promise<Made> {
  const token = (await readFile(path.join(data, "admin-token"), "utf8")).trim();
  const maker = makerOf(url, token);
  const made: string[] = [];
  for (const events of [5000, 10_000, 20_000]) made.push(await maker.make("z-peak", STEPS, events));
  const other = await maker.make("z-peak", CHANGED);
  const failed = await maker.make("calibration", FAILING);
  for (const id of [...made, other, failed]) await maker.ended(id);
  const live = await maker.make("shower-simulation", LIVE);
  await maker.ask("POST", "users?email=ada@example.org");
  await maker.ask("POST", "groups", { name: "students" });
  await maker.ask("PUT", "admin/policies/everybody", { max_runs: 20, disk_bytes: 500 * 2 ** 30 });
  await maker.ask("PUT", "admin/policies/students", {
    cpu_ms: 360_000_000,
    images: ["python", "rootproject/*"],
  });
  const created = await maker.create("z-peak", STEPS);
  return { shown: made.at(-1)!, other, failed, live, created };
}

/** Identifiers of the runs. */
export interface Made {
  readonly shown: string;
  readonly other: string;
  readonly failed: string;
  readonly live: string;
  readonly created: string;
}

/** Wraps the requests that create a run and wait for it. */
function makerOf(url: string, token: string) {
  const ask = async (method: string, route: string, body?: string | object) => {
    const reply = await fetch(`${url}/api/${route}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return (await reply.json()) as Record<string, string>;
  };
  const create = async (name: string, steps: Steps, events = 20_000) => {
    const specification = {
      inputs: { parameters: { events, threshold: 0.25, sample: "2026-B" } },
      workflow: {
        type: "serial",
        specification: { steps: steps.map((step) => ({ environment: "python:3.12", ...step })) },
      },
      outputs: { files: ["fit.txt", "histogram.csv"] },
    };
    const { workflow_id: id } = await ask("POST", `workflows?workflow_name=${name}`, specification);
    for (const [file, text] of FILES) await ask("POST", `workflows/${id}/workspace?file_name=${file}`, text);
    return id!;
  };
  const make = async (name: string, steps: Steps, events?: number) => {
    const id = await create(name, steps, events);
    await ask("POST", `workflows/${id}/start`, {});
    return id;
  };
  const ended = async (id: string) => {
    for (;;) {
      const { status } = await ask("GET", `workflows/${id}/status`);
      if (!["queued", "pending", "running"].includes(status!)) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  return { ask, create, make, ended };
}

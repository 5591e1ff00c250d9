import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { describeUnless } from "#plumbing/needs-suite";
import { changeStatus, T } from "../../support/run-rows.ts";
import { reuseFixture, type Specification } from "../../support/scenarios/reuse-fixture.ts";

/**
 * Small steps with planted causes, and innocent ones. Each is verified with real programs, up to the verdict about its
 * cause. The step stands between two others, which are never at fault.
 */
const fixture = await reuseFixture();
const { api, ada, folder, created, upload, step } = fixture;
/** A page that is another one each time. */
let visits = 0;
const page = http
  .createServer(({ url }, response) =>
    response.end(url === "/same" ? "the same\n" : `visit ${(visits += 1)}\n`),
  )
  .listen(0, "127.0.0.1");
await once(page, "listening");
const { port } = page.address() as AddressInfo;
afterAll(async () => {
  page.close();
  await fixture.close();
});

interface Reply {
  state: string;
  outputs: { name: string; verdict: string; rule: string | null }[];
  first_difference: { steps: string[] } | null;
  cause: {
    step: string;
    state: string;
    condition: string | null;
    sentence: string;
    repetitions: { varied: string[]; is_different: boolean; has_failed: boolean }[];
    excluded: string[];
    not_varied: string[];
  } | null;
}

function analysis(command: string, output: string, image = "any"): Specification {
  return {
    inputs: { files: ["data/in.txt"], directories: ["code"] },
    workflow: {
      type: "serial",
      specification: {
        steps: [
          step("before", "cat data/in.txt > before.txt"),
          { name: "suspect", environment: image, commands: [command.replaceAll("$", "$$$$")] },
          step("after", "cat before.txt > after.txt"),
        ],
      },
    },
    outputs: { files: ["before.txt", output, "after.txt"] },
  } as Specification;
}

async function post(place: string, payload: object = {}): Promise<{ workflow_id: string }> {
  const reply = await api.inject({ method: "POST", url: `/api/workflows/${place}?${T(ada)}`, payload });
  expect([reply.statusCode, reply.body]).toEqual([201, expect.any(String)]);
  return reply.json();
}

/** Many runs are polled at the same time. */
const POLL_MS = 25;
/** After this time each date is another one, also in a zip, which counts in steps of two seconds. */
const CLOCK_STEP_MS = 2100;

const lookAt = async (id: string) =>
  (await api.inject(`/api/workflows/${id}/verification?${T(ada)}`)).json<Reply>();

interface Story {
  readonly output?: string;
  readonly image?: string;
  /** The changes made before the run, and between the run and its repetition. */
  readonly before?: (id: string) => unknown;
  readonly between?: (id: string) => unknown;
}

/** Runs the step, verifies the run, and repeats the step until there is a verdict. */
async function explained(
  command: string,
  { output = "out.txt", image, before, between }: Story = {},
): Promise<Reply> {
  const { id } = await created(analysis(command, output, image));
  await before?.(id);
  await changeStatus(api, ada, id, "start");
  await fixture.untilOver(id, "finished", POLL_MS);
  await between?.(id);
  if (/date|zip|srand/.test(command)) await setTimeout(CLOCK_STEP_MS);
  const { repetition } = (await post(`${id}/verify`)) as unknown as { repetition: { workflow_id: string } };
  await fixture.untilOver(repetition.workflow_id, "finished", POLL_MS);
  for (;;) {
    const reply = await lookAt(id);
    if (reply.cause?.state !== "open") return reply;
    await fixture.untilOver((await post(`${id}/verification/repetitions`)).workflow_id, "finished", POLL_MS);
  }
}

const python = (code: string) => `python3 -c '${code}' > out.txt`;

const MISSING = ["faketime", "python3", "perl", "taskset", "setarch", "bwrap", "curl"].find(
  (program) => spawnSync(program, ["--version"]).error !== undefined,
);
const planted = describeUnless(MISSING && `${MISSING} is not installed`);

/** Steps with the cause that a verification must name. */
const PLANTED: readonly (readonly [what: string, condition: string, command: string])[] = [
  [
    "the date in a zip header",
    "clock",
    `python3 -c 'import zipfile; zipfile.ZipFile("out.txt", "w").writestr("a", "x")'`,
  ],
  [
    "the order of keys in Perl",
    "hash-seed",
    "perl -e 'print join \",\", keys %{{map {$_ => 1} 1..50}}' > out.txt",
  ],
  ["a date", "clock", "date > out.txt"],
  ["the time in seconds", "clock", "date +%s > out.txt"],
  ["the time in a sentence", "clock", python("import time; print(time.time())")],
  ["a seed taken from the time", "clock", 'awk "BEGIN { srand(); print rand() }" > out.txt'],
  ["the order of a set", "hash-seed", python('print({"a" + str(n) for n in range(50)})')],
  ["a hash", "hash-seed", python('print(hash("x"))')],
  ["a generator without a seed", "random", python("import random; print(random.random())")],
  ["random bytes", "random", python("import os; print(os.urandom(8))")],
  ["a random identifier", "random", python("import uuid; print(uuid.uuid4())")],
  ["the path of the workspace", "path", "pwd > out.txt"],
  ["a path in a binary", "path", 'printf "\\0\\1%s\\0" "$(pwd)" > out.txt'],
  ["the address of an object", "addresses", python("print(id(object))")],
  [
    "a page that is another one each time",
    "network",
    `(cat before.txt; curl -s http://127.0.0.1:${port}/ || echo offline) > out.txt`,
  ],
  [
    "a file outside of the workspace that each run changes",
    "undeclared",
    `echo x >> ${folder}/outside; wc -l < ${folder}/outside > out.txt`,
  ],
];

const DIGESTS = ["1", "2"].map((digit) => `sha256:${digit.repeat(64)}`) as [string, string];

/** Steps that read something which was replaced between the run and its repetition. */
const REPLACED: readonly (readonly [what: string, condition: string, command: string, story: Story])[] = [
  [
    "a file outside of the workspace",
    "undeclared",
    `cat before.txt ${folder}/calibration > out.txt`,
    {
      before: () => writeFile(path.join(folder, "calibration"), "first\n"),
      between: () => writeFile(path.join(folder, "calibration"), "second\n"),
    },
  ],
  [
    "a file of the workspace that is not declared",
    "undeclared",
    "paste before.txt notes/scale.txt > out.txt",
    {
      before: (id) => upload(id, "notes/scale.txt", "3\n"),
      between: (id) => upload(id, "notes/scale.txt", "4\n"),
    },
  ],
  [
    "the image behind its tag",
    "image",
    "echo made in ${IMAGE_DIGEST} > out.txt",
    {
      image: "tool:1",
      before: () => api.backend.images.set("tool:1", DIGESTS[0]),
      between: () => api.backend.images.set("tool:1", DIGESTS[1]).set(`tool:1@${DIGESTS[0]}`, DIGESTS[0]),
    },
  ],
];

/** Hides the vector instructions from the library of mathematics, whose sines then differ in their last bits. */
const PLAIN_PROCESSOR = "glibc.cpu.hwcaps=-AVX2,-FMA";
const SINES = python("import math; print(sum(math.sin(n) * math.exp(-n / 9e4) for n in range(99999)).hex())");

/** Steps whose surroundings on the server change between the run and its repetition. */
const SURROUNDINGS: readonly (readonly [name: string, value: string, condition: string, command: string])[] =
  [
    ["TZ", "America/New_York", "zone", "date -d @0 > out.txt"],
    ["USER", "somebody", "user", "echo made by $USER > out.txt"],
    ["HOME", "/tmp", "home", "echo ~ > out.txt"],
    ["HOSTNAME", "another", "host", "echo on $HOSTNAME > out.txt"],
    ["OMP_NUM_THREADS", "3", "threads", "echo $OMP_NUM_THREADS > out.txt"],
    ["CALIBRATION", "7", "variables", "echo $CALIBRATION > out.txt"],
    ["GLIBC_TUNABLES", PLAIN_PROCESSOR, "processor", SINES],
  ];

/** Steps with a cause that no experiment can hold: the verdict must be that the cause is unknown. */
const UNKNOWN: readonly (readonly [what: string, command: string])[] = [
  ["random numbers of the shell", "head -c 8 /dev/urandom | cksum > out.txt"],
  ["the number of a process", "echo $$ > out.txt"],
  ["two causes at once", "(pwd; date) > out.txt"],
];

/** Steps whose outputs come out the same, with the rule that says so. */
const INNOCENT: readonly (readonly [what: string, output: string, rule: string | null, command: string])[] = [
  ["a copy", "out.txt", null, "cat before.txt > out.txt"],
  ["a time that is not kept", "out.txt", null, "date > log.txt; echo done > out.txt"],
  [
    "a random order that is sorted",
    "out.txt",
    null,
    python('print(sorted({"a" + str(n) for n in range(50)}))'),
  ],
  ["the time in a gzip header", "out.gz", "gzip-header", "cp before.txt x; touch x; gzip -c x > out.gz"],
  [
    "the order of keys",
    "out.json",
    "json-values",
    `python3 -c 'import json; print(json.dumps({k: 1 for k in {"a" + str(n) for n in range(50)}}))' > out.json`,
  ],
  [
    "a file of a server that nothing has changed",
    "out.txt",
    null,
    `(cat before.txt; curl -sf http://127.0.0.1:${port}/same) > out.txt`,
  ],
  [
    "the order of a sum",
    "out.csv",
    "csv-numbers",
    `python3 -c 'import random; xs = [n / 7 for n in range(1000)]; random.shuffle(xs); print("sum," + repr(sum(xs)))' > out.csv`,
  ],
];

planted("a verification names the cause", { concurrent: true }, () => {
  test.each(PLANTED)("of %s: %s", async (_what, condition, command) => {
    const { state, first_difference: first, cause } = await explained(command);
    expect([state, first?.steps, cause?.state, cause?.condition]).toEqual([
      "different",
      ["suspect"],
      "found",
      condition,
    ]);
    expect(cause!.repetitions.length).toBeLessThanOrEqual(8);
  });
});

planted("a verification names a replaced input", { concurrent: true }, () => {
  test.each(REPLACED)("%s", async (_what, condition, command, story) => {
    const { state, cause } = await explained(command, story);
    expect([state, cause?.state, cause?.condition]).toEqual(["different", "found", condition]);
    expect(cause!.repetitions.length).toBeLessThanOrEqual(8);
  });
});

planted("a verification explains what has changed on the server", () => {
  test.each(SURROUNDINGS)("%s", async (name, value, condition, command) => {
    const before = process.env[name];
    process.env[name] = value;
    const restore = () => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    };
    try {
      const { cause } = await explained(command, { between: restore });
      expect([cause?.state, cause?.condition]).toEqual(["found", condition]);
    } finally {
      restore();
    }
  });
});

planted("a verification names no cause that it has not shown", { concurrent: true }, () => {
  test.each(UNKNOWN)("for %s", async (_what, command) => {
    const { state, first_difference: first, cause } = await explained(command);
    expect([state, first?.steps, cause?.state, cause?.condition]).toEqual([
      "different",
      ["suspect"],
      "unknown",
      null,
    ]);
  });
});

planted("a verification finds no fault in", { concurrent: true }, () => {
  test.each(INNOCENT)("%s", async (_what, output, rule, command) => {
    const { state, outputs, cause } = await explained(command, { output });
    expect([["identical", "equivalent"].includes(state), cause]).toEqual([true, null]);
    if (rule === null) expect(state).toBe("identical");
    const seen = outputs.find(({ name }) => name === output)!;
    expect([null, rule]).toContain(seen.rule);
  });
});

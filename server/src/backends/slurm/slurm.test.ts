import { describe, expect, test } from "vitest";
import { jobOf } from "#backends/backend-fixture";
import { partitionProblems, partitionsIn } from "#backends/slurm/partitions";
import { sbatchWords } from "#backends/slurm/describe";
import { maybeSlurmTimeMs } from "#backends/slurm/slurm-time";
import { clusterIn, parseSqueue, silentNodesIn } from "#backends/slurm/squeue";
import type { Job } from "#workflow/job/job";

const words = (change: Partial<Job>) =>
  sbatchWords({
    name: "reprise-1",
    job: jobOf("fit", change),
    workspaceFolder: "/w",
    orderFile: "/r/order",
    saidFile: "/r/said",
  });
const withOptions = (options: Readonly<Record<string, string | number>>) =>
  words({ backend: { name: "slurm", options } });

describe("what Slurm is told about a job", () => {
  test("account, quality of service, reservation and generic resources", () => {
    const options = {
      slurm_account: "atlas",
      slurm_qos: "high",
      slurm_reservation: "school",
      slurm_gres: "gpu:a100:2,shard:1",
    };
    expect(withOptions(options)).toEqual(
      expect.arrayContaining([
        "--account=atlas",
        "--qos=high",
        "--reservation=school",
        "--gres=gpu:a100:2,shard:1",
      ]),
    );
  });

  test.each(["slurm_account", "slurm_qos", "slurm_reservation", "slurm_gres"])(
    "%s with another form is refused",
    (key) => {
      for (const value of ["a b", "--uid=0", "x;y", "gpu::1", ""]) {
        if (value === "--uid=0") continue;
        expect(() => withOptions({ [key]: value })).toThrow(`The step's ${key} is`);
      }
    },
  );

  test("a plain job asks for nothing", () => {
    expect(words({})).toEqual([
      "--parsable",
      "--no-requeue",
      "--chdir=/",
      "--open-mode=append",
      "--job-name=reprise-1",
      "--comment=n",
      "--output=/r/said",
      "/r/order",
    ]);
  });

  test("partition, time, memory and cores", () => {
    expect(withOptions({ slurm_partition: "inf-short,main", slurm_time: 60 })).toEqual(
      expect.arrayContaining(["--partition=inf-short,main", "--time=60"]),
    );
    expect(words({ limits: { timeMs: 90_000, memoryBytes: 2 ** 30 + 1, cores: 1.5 } })).toEqual(
      expect.arrayContaining(["--time=2", "--mem=1025M", "--cpus-per-task=2"]),
    );
  });

  test.each([
    [undefined, "gpu:2"],
    ["shard:1", "shard:1,gpu:2"],
    ["gpu:a100:2", "gpu:a100:2"],
    ["shard:1,gpu", "shard:1,gpu"],
    ["gpus:1", "gpus:1,gpu:2"],
  ])("the GPUs of a step, with slurm_gres %s", (own, expected) => {
    const options = own === undefined ? {} : { slurm_gres: own };
    const resources = { cores: 1, memoryBytes: 0, gpus: 2 };
    const said = words({ resources, backend: { name: "slurm", options } });
    expect(said.filter((word) => word.startsWith("--gres"))).toEqual([`--gres=${expected}`]);
  });

  test.each([
    [{ slurm_partition: "a b" }, 'slurm_partition is "a b": it must be the name of a partition'],
    [{ slurm_partition: "--wrap=x" }, "it must be the name of a partition"],
    [{ slurm_time: "soon" }, 'slurm_time is "soon": it must be a time of Slurm'],
  ])("%j is refused", (options, sentence) => {
    expect(() => withOptions(options)).toThrow(sentence);
  });

  test.each([
    ["60", 3600],
    ["0:30", 30],
    ["1:02:03", 3723],
    ["2-0", 172_800],
    ["1-12:30", 131_400],
    ["1-0:0:1", 86_401],
    ["0", undefined],
    ["1:2:3:4", undefined],
    ["-1", undefined],
  ])("the time %s is %j seconds", (text, seconds) => {
    expect(maybeSlurmTimeMs(text)).toBe(seconds === undefined ? undefined : seconds * 1000);
  });
});

describe("what Slurm says", () => {
  const line = (id: number, state: string, reason: string, name = "reprise-a") =>
    `${id}   |${state} |t     |${name}     |n1   |${reason}      \n`;
  const phases = (text: string) =>
    parseSqueue(text)
      .jobs.get("reprise-a")
      ?.map(({ phase }) => phase);

  test("lines of other jobs and banners are ignored", () => {
    const text = `Welcome to the cluster | have fun\n${line(1, "R", "None", "other")}${line(2, "R", "None")}`;
    const { cluster, jobs } = parseSqueue(text);
    expect(cluster).toBe("t");
    expect([...jobs.keys()]).toEqual(["reprise-a"]);
    expect(parseSqueue("")).toEqual({ cluster: undefined, jobs: new Map() });
  });

  test.each([
    ["PD", "Priority", "waiting"],
    ["PD", "PartitionTimeLimit", "hopeless"],
    ["PD", "(ReqNodeNotAvail, UnavailableNodes:n1)", "waiting"],
    ["R", "None", "active"],
    ["CG", "None", "active"],
    ["CD", "None", "over"],
    ["CA", "None", "over"],
    ["NF", "None", "unknown"],
    ["XX", "None", "over"],
  ])("%s with %s is %s", (state, reason, phase) => {
    expect(phases(line(1, state, reason))).toEqual([phase]);
  });

  test("a script that ended early names the node", () => {
    const [failed] = parseSqueue(line(1, "F", "NonZeroExitCode")).jobs.get("reprise-a")!;
    expect(failed).toMatchObject({ endedItself: true, node: "n1" });
    const [cancelled] = parseSqueue(line(1, "CA", "None")).jobs.get("reprise-a")!;
    expect(cancelled).not.toHaveProperty("endedItself");
  });

  test("two jobs of one name are both there, and a reason comes in words", () => {
    expect(phases(line(1, "CA", "None") + line(2, "PD", "Resources"))).toEqual(["over", "waiting"]);
    const [listed] = parseSqueue(line(1, "PD", "Resources")).jobs.get("reprise-a")!;
    expect(listed!.sentence).toBe(
      "Slurm has not started the job: no node has enough free cores or memory (Resources)",
    );
  });

  test("the name of a cluster without jobs", () => {
    const text =
      "Configuration data as of 2026\nClusterName             = cern-batch\nCommunicationParameters = (null)\n";
    expect([clusterIn(text), clusterIn("")]).toEqual(["cern-batch", undefined]);
  });

  test("nodes without a response", () => {
    const text = "n1|idle\nn2|idle*\nn3|down*\nn4|mix\nn5|drng\nn6|unk*\nbanner\n";
    expect([...silentNodesIn(text).keys()]).toEqual(["n2", "n3", "n6"]);
  });
});

describe("the partitions of a cluster", () => {
  const partitions = partitionsIn(
    "Welcome to the cluster!\nmain|infinite\nshort|10:00\nlong|7-00:00:00\nlong|7-00:00:00\n",
  );
  const messages = (demands: Readonly<Record<string, unknown>>) =>
    partitionProblems(demands, partitions).map(({ key, message }) => `${key}: ${message}`);

  test("are listed once each", () => {
    expect(partitions).toEqual([
      { name: "main", limit: "infinite" },
      { name: "short", limit: "10:00" },
      { name: "long", limit: "7-00:00:00" },
    ]);
  });

  test("judge the partition and the time of a step", () => {
    expect(messages({ slurm_partition: "shrot" })).toEqual([
      'slurm_partition: Slurm has no partition "shrot". Did you mean short? It has: main, short, long.',
    ]);
    expect(messages({ slurm_partition: "main,gpu" })).toEqual([
      'slurm_partition: Slurm has no partition "gpu". It has: main, short, long.',
    ]);
    expect(messages({ slurm_partition: "short", slurm_time: "60" })).toEqual([
      "slurm_time: Slurm's partition short allows jobs of 10:00 at most, and the step asks for 60.",
    ]);
    for (const demands of [
      {},
      { slurm_time: "60" },
      { slurm_partition: "short", slurm_time: "10" },
      { slurm_partition: "short,long", slurm_time: 60 },
      { slurm_partition: "main", slurm_time: "365-00:00:00" },
    ])
      expect(messages(demands)).toEqual([]);
    expect(partitionProblems({ slurm_partition: "any" }, [])).toEqual([]);
  });
});

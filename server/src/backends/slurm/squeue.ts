import type { ListedJob, Listing } from "#backends/record/place";

/** The fields of a line of `squeue`. The name is ours, and the reason comes last: only it may hold a bar. */
const FIELDS = ["JobID", "StateCompact", "Cluster", "Name:200", "BatchHost:100", "Reason:300"];

/** The arguments of `squeue` for the jobs of this user. */
export function squeueWords({ isWhole }: { readonly isWhole: boolean }): readonly string[] {
  const format = FIELDS.map((field) => (field.includes(":") ? field : `${field}:`)).join("|,");
  return ["--noheader", "--me", ...(isWhole ? ["--states=all"] : []), `--Format=${format}`];
}

/** Parses the lines of `squeue`. Lines of another form, such as a banner, are ignored. */
export function parseSqueue(text: string): Pick<Listing, "cluster" | "jobs"> {
  const jobs = new Map<string, ListedJob[]>();
  let cluster: string | undefined;
  for (const line of text.split("\n")) {
    const [, outsideId, state, name, nameOfJob, node = "", reason = ""] = LINE.exec(line) ?? [];
    if (outsideId === undefined) continue;
    cluster = name;
    const hasNode = ENDED_ITSELF.has(state!) && node !== "";
    const listed = {
      outsideId,
      ...phaseOf(state!, reason.trim()),
      ...(hasNode && { endedItself: true as const, node }),
    };
    jobs.set(nameOfJob!, [...(jobs.get(nameOfJob!) ?? []), listed]);
  }
  return { cluster, jobs };
}

const LINE = /^(\d+) *\|([A-Z]{1,3}) *\|([^|]*?) *\|(reprise-\S+) *\|([\w.-]*)[^|]*\|(.*)$/;

/** Reasons for which a job waits for ever, unless somebody changes the job or the cluster. */
const HOPELESS =
  /^(PartitionTimeLimit|PartitionNodeLimit|PartitionConfig|BadConstraints|AccountNotAllowed|QOSNotAllowed|InvalidAccount|InvalidQOS|DependencyNeverSatisfied|ReqNodeNotAvail.*Invalid|AssocGrp\w*TimeLimitPerJob|JobArrayTaskLimitNever)$/;

/** Reasons in words. Slurm's own word follows each sentence. */
const WORDS: Readonly<Record<string, string>> = {
  None: "Slurm has not looked at the job yet",
  Priority: "jobs of higher priority come first",
  Resources: "no node has enough free cores or memory",
  JobHeldUser: "somebody holds the job (`scontrol release` frees it)",
  JobHeldAdmin: "an administrator of Slurm holds the job",
  BeginTime: "Slurm starts the job at a later time",
  PartitionDown: "the partition is down",
  PartitionInactive: "the partition is inactive",
  NodeDown: "a node that the job needs is down",
  ReqNodeNotAvail: "a node that the job needs is not available",
  PartitionTimeLimit: "the job asks for more time than its partition allows",
  PartitionNodeLimit: "the job asks for more nodes than its partition has",
  PartitionConfig: "the job asks for more than any node of its partition has",
  BadConstraints: "no node of the cluster is as the job demands",
  AccountNotAllowed: "the account may not use the partition",
  InvalidAccount: "the account does not exist",
  InvalidQOS: "the quality of service does not exist",
  QOSNotAllowed: "the quality of service is not allowed in the partition",
};

function phaseOf(state: string, reason: string): Pick<ListedJob, "phase" | "sentence"> {
  if (state === "PD") {
    const word = reason.replace(/^\((.*)\)$/, "$1");
    const isHopeless = HOPELESS.test(word);
    const words = WORDS[word.split(",")[0]!];
    const why = words === undefined ? word : `${words} (${word})`;
    if (isHopeless) return { phase: "hopeless", sentence: `Slurm can never start the job: ${why}.` };
    return { phase: "waiting", sentence: `Slurm has not started the job: ${why}` };
  }
  if (ACTIVE.has(state)) return { phase: "active", sentence: "Slurm runs the job." };
  const how = ENDS[state] ?? `Slurm says: ${state}.`;
  return { phase: state === "NF" || state === "BF" ? "unknown" : "over", sentence: how };
}

/** Running, completing, configuring, suspended, stopped, and the states between them. */
const ACTIVE: ReadonlySet<string> = new Set(["R", "CG", "CF", "S", "ST", "SI", "SO", "RS", "RQ", "RH", "SE"]);

const ENDS: Readonly<Record<string, string>> = {
  CD: "Slurm says that the script ended.",
  CA: "The job was cancelled in Slurm.",
  F: "Slurm says that the job failed.",
  TO: "Slurm ended the job at its time limit.",
  OOM: "Slurm ended the job because it used too much memory.",
  NF: "Slurm gave the job up because its node failed.",
  BF: "Slurm gave the job up because its node did not start.",
  DL: "Slurm ended the job at its deadline.",
  PR: "Slurm ended the job to make room for another one.",
};

/** A job that was cancelled while it waited has no node. */
const ENDED_ITSELF: ReadonlySet<string> = new Set(["CD", "F"]);

/** Returns the name of the cluster in the output of `scontrol show config`. Only lines of jobs name it in `squeue`. */
export function clusterIn(text: string): string | undefined {
  return /^ClusterName\s*=\s*(\S+)$/m.exec(text)?.[1];
}

/** Parses the lines of `sinfo`, NODE|STATE. A star after the state marks a node that does not answer. */
export function silentNodesIn(text: string): ReadonlyMap<string, string> {
  const lines = text.split("\n").flatMap((line) => [/^(\S+)\|(\S+)$/.exec(line.trim())?.slice(1) ?? []]);
  const known = lines.filter((line): line is [string, string] => line.length === 2);
  return new Map(known.filter(([, state]) => SILENT.test(state)));
}

const SILENT = /\*$|^(down|unknown|unk|fail|boot|reboot|pow)/;

import type { components } from "reprise-sdk";
import { amountOfTime } from "#plumbing/text/duration";
import { type Call, optionOf } from "#cli/call";
import type { CliContext } from "#cli/context";
import { CommandError } from "#cli/failure";
import { clientFor } from "#cli/server/hosts";
import { parseLimit } from "#cli/server/quota";
import { inColumns } from "#cli/terminal/columns";
import { shortSize } from "#plumbing/text/human-size";

type Policy = components["schemas"]["Policy"];

/** Sets the limits of a group or of everybody that are given as options, and shows the policies. */
export async function policy(cli: CliContext, call: Call): Promise<void> {
  const [group] = call.args;
  const change = changeIn(call);
  const client = await clientFor(cli, call);
  if (Object.keys(change).length > 0) {
    if (group === undefined)
      throw new CommandError("Name the group whose policy is to change, or everybody for all users.");
    await client.PUT("/api/admin/policies/{group}", { params: { path: { group } }, body: change });
  }
  const all = (await client.GET("/api/admin/policies")).data!;
  const shown = group === undefined ? all : all.filter((one) => one.group === group);
  if (call.flags("json")) return cli.print(JSON.stringify(shown));
  if (shown.length === 0) return cli.print("There is no policy.");
  const head = ["GROUP", "CPU", "DISK", "WALL", "RUNS AT ONCE", "IMAGES"];
  for (const line of inColumns([head, ...shown.map(rowOf)])) cli.print(line);
}

function changeIn(call: Call) {
  const [cpu, disk, wall] = [optionOf(call, "cpu"), optionOf(call, "disk"), optionOf(call, "wall")];
  const [runs, images] = [optionOf(call, "runs"), optionOf(call, "images")];
  return {
    ...(cpu !== undefined && { cpu_ms: parseLimit("cpu", cpu) }),
    ...(disk !== undefined && { disk_bytes: parseLimit("disk", disk) }),
    ...(wall !== undefined && { wall_ms: parseLimit("wall", wall) }),
    ...(runs !== undefined && { max_runs: parseRuns(runs) }),
    ...(images !== undefined && { images: images === "default" ? null : images.split(",").filter(Boolean) }),
  };
}

function parseRuns(text: string): number | null {
  if (text === "default") return null;
  if (text === "none") return 0;
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new CommandError(`--runs ${text} is not valid: give a number, none or default.`);
}

function rowOf({
  group,
  images,
  cpu_ms: cpu,
  disk_bytes: disk,
  wall_ms: wall,
  max_runs: runs,
}: Policy): string[] {
  return [
    group,
    limitText(cpu, amountOfTime),
    limitText(disk, shortSize),
    limitText(wall, amountOfTime),
    limitText(runs, String),
    images?.join(",") ?? "-",
  ];
}

function limitText(amount: number | null | undefined, human: (amount: number) => string): string {
  if (amount === null || amount === undefined) return "-";
  return amount === 0 ? "none" : human(amount);
}

import { type ClusterCommands, clusterCommands } from "#backends/record/cluster-commands";
import type { LoginHost } from "#backends/slurm/ssh/login-host";

/** Returns the commands of Slurm: on a login host, or on this machine. */
export function slurmCommands(loginHost?: Pick<LoginHost, "run">): ClusterCommands {
  return clusterCommands({
    name: "Slurm",
    variables: ["SLURM_CONF"],
    away: /Unable to contact slurm controller|Munge|munge|authentication|Socket timed out|Communication connection failure|Connection (refused|reset|timed out)|Zero Bytes|temporarily unable|ENOENT|did not answer within|resource temporarily unavailable|Unable to establish|slurm.conf|backup controller/i,
    runElsewhere: loginHost?.run,
  });
}

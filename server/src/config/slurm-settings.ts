import { choice, file, sshHost } from "#config/kinds";
import { setting } from "#config/setting";

/** Settings for jobs on Slurm. Part of `SETTINGS`. */
export const SLURM_SETTINGS = {
  slurmHost: setting(sshHost(), {
    option: "--slurm-host",
    fallback: () => undefined,
    fallbackText: "none: Slurm's commands are programs of this machine",
    sentence:
      "The login host where Slurm's commands run, by the `ssh` of this machine over one held connection. The host and the nodes see the data folder at the " +
      "same path as this machine, and the user there has the same number (uid).",
  }),
  slurmSshConfig: setting(file("a file", "file"), {
    option: "--slurm-ssh-config",
    fallback: () => undefined,
    fallbackText: "`~/.ssh/config` of the server's user",
    sentence:
      "The configuration of `ssh` for `--slurm-host`: the key, the known hosts, hosts to pass on the way.",
  }),
  slurmContainers: setting(choice("none", "podman"), {
    option: "--slurm-containers",
    fallback: () => "none" as const,
    sentence:
      "The container runtime of Slurm's nodes, in which steps run that name an image. `none`: the images are ignored. `podman` needs podman on every node, without " +
      "root. `--default-image`, `--pull-images` and `--allow-images` count there as well.",
  }),
} as const;

import {
  program,
  choice,
  duration,
  file,
  gpus,
  imageMap,
  listOfChoices,
  mounts,
  patternList,
  size,
  variables,
  wholeNumber,
  word,
} from "#config/kinds";
import { PLACES, type PlaceWord, wordsWithPlaces } from "#config/places";
import { setting } from "#config/setting";

/** Settings for jobs: limits, walls and images. Part of `SETTINGS`. */
export const JOB_SETTINGS = {
  backends: setting(listOfChoices("names", ...PLACES), {
    option: "--backends",
    fallback: () => ["local"] as const,
    fallbackText: "`local`",
    sentence:
      "The places where jobs run, with commas between them. Steps that name none (`compute_backend`) run in the first one, unless `--default-backend` names another. `slurm` needs the commands of Slurm on this machine or on `--slurm-host`, " +
      "`htcondor` the commands of HTCondor on this machine, and both need a data folder that every node sees at the same path. `kubernetes` needs the API server of a cluster whose nodes see the " +
      "data folder. `local` is always there, for programs of this machine; besides `kubernetes`, it runs steps only if it is named.",
  }),
  defaultBackend: setting(choice(...PLACES), {
    option: "--default-backend",
    fallback: () => undefined,
    fallbackText: "the first place of `--backends`",
    sentence: "The place where steps run that name none (`compute_backend`). It must be one of `--backends`.",
  }),
  computeBackends: setting(wordsWithPlaces(), {
    option: "--compute-backend",
    variable: "REPRISE_COMPUTE_BACKENDS",
    fallback: (): Readonly<Record<string, PlaceWord>> => ({}),
    fallbackText:
      "none: `slurmcern` and `slurm` mean Slurm, `htcondorcern` and `htcondor` HTCondor, `kubernetes` Kubernetes or else this machine, and `local` this machine",
    sentence:
      "A word that steps may use as `compute_backend`, and its place: `batch=slurm`. A word belongs to one place, so `slurmcern=local` takes " +
      "the word from Slurm. Repeatable, or with commas between them.",
  }),
  maxClusterJobs: setting(wholeNumber(1, 100_000), {
    option: "--max-cluster-jobs",
    fallback: () => 1000,
    sentence:
      "The maximum number of jobs of this server in the queue of a cluster, waiting or running. Further jobs have not been sent yet, as their lines say, and the user with " +
      "the fewest jobs in the queue comes first. A tenth of the places is kept for users with few jobs.",
  }),
  maxJobOutputBytes: setting(size(1024, 2 ** 50), {
    option: "--max-job-output",
    fallback: () => 2 ** 30,
    sentence:
      "The most output that a job may print. A job that prints more is ended, and its run fails with that reason.",
  }),
  maxJobProcesses: setting(wholeNumber(10, 4_000_000), {
    option: "--max-job-processes",
    fallback: () => 4096,
    sentence:
      "The maximum number of processes of a job at one time. A job with more is ended. They are counted every second.",
  }),
  maxJobDiskBytes: setting(size(2 ** 20, 2 ** 50), {
    option: "--max-job-disk",
    fallback: () => undefined,
    fallbackText: "no limit",
    sentence:
      "The most bytes that a job may write to disk, including files that it has removed since. A job that writes more is " +
      "ended. They are measured every second, except in containers of docker.",
  }),
  maxJobFiles: setting(wholeNumber(100, 1_000_000_000), {
    option: "--max-job-files",
    fallback: () => undefined,
    fallbackText: "no limit",
    sentence:
      "The most files and folders that the workspace of a job may hold, with its home and its temporary files. A job that makes " +
      "more is ended. They are counted every five seconds, and not outside these folders in a container.",
  }),
  gpus: setting(gpus(), {
    option: "--gpus",
    fallback: () => "auto" as const,
    sentence:
      "The GPUs of this machine that jobs may have, each a whole one: `auto` (all of NVIDIA's or, without any, all of AMD's), `none`, or some with commas " +
      "between them: numbers of `nvidia-smi`, UUIDs, or nodes such as `renderD128`.",
  }),
  controlGroups: setting(choice("auto", "none"), {
    option: "--control-groups",
    fallback: () => "auto" as const,
    sentence:
      "Whether the kernel enforces the limits of memory and cores of steps. `auto` uses control groups of version 2 that are delegated to " +
      "the server, or of version 1 if its user may make them. Otherwise memory is measured, and cores are not limited.",
  }),
  jobEnvironment: setting(variables(), {
    option: "--env",
    variable: "REPRISE_JOB_ENV",
    fallback: () => ({}),
    fallbackText: "none: jobs get `PATH` and the variables in the table of a job's environment",
    sentence:
      "A variable for the environment of every job: `NAME`, with its value in the environment of this command, or `NAME=value`. Repeatable.",
  }),
  sandbox: setting(choice("auto", "bubblewrap", "none"), {
    option: "--sandbox",
    fallback: () => "auto" as const,
    sentence:
      "What keeps jobs away from the server's files and from each other. `auto` uses bubblewrap if a probe shows that it holds. " +
      "If bubblewrap is installed and fails, or if other machines can reach the server, a server without a sandbox starts only with `none`.",
  }),
  jobNetwork: setting(choice("on", "off", "asked"), {
    option: "--job-network",
    fallback: () => "on" as const,
    sentence:
      "Which jobs in the sandbox and in containers may use the network: all that do not refuse it, none, or those that ask for it.",
  }),
  mounts: setting(mounts(), {
    option: "--mount",
    variable: "REPRISE_MOUNTS",
    fallback: () => [],
    fallbackText: "none: jobs see `/usr`, `/etc` and their own files",
    sentence:
      "A folder or file of this machine that jobs see in the sandbox: `/opt`, `/srv/data:/data`, or `/scratch:/scratch:write` if " +
      "they may change it. Workflows may name files in a folder that has the same path for jobs. Repeatable; the variable holds one a line.",
  }),
  cvmfs: setting(file("a folder", "folder"), {
    option: "--cvmfs",
    fallback: () => "/cvmfs",
    sentence:
      "The folder in which this machine has CVMFS. Steps see the repositories that their workflow names (`resources.cvmfs`) " +
      "below `/cvmfs`, read-only.",
  }),
  images: setting(choice("ignore", "map", "require"), {
    option: "--images",
    fallback: () => "map" as const,
    sentence:
      "What the image of a step means on this machine. `ignore`: nothing. `map`: its entry in `--image-map`, if any. " +
      "`require`: a start whose image has no entry is refused, unless its steps run in containers.",
  }),
  imageMap: setting(imageMap(), {
    option: "--image-map",
    fallback: () => [],
    sentence:
      "Stand-ins for images: `python:*=/opt/envs/py`, a folder whose `bin` comes first in the PATH of the job, or a program with " +
      "arguments that runs the command. `*` stands for any text; the first entry that fits counts. Repeatable; the variable holds one a line.",
  }),
  snakemake: setting(program(), {
    option: "--snakemake",
    fallback: () => undefined,
    fallbackText: "the first one in the server's `PATH`",
    sentence:
      "The Snakemake (8 or 9) that plans Snakemake workflows: the path of the program, or `none`. Without one, such workflows " +
      "are not started.",
  }),
  containers: setting(
    { ...choice("auto", "podman", "docker", "apptainer", "none"), placeholder: "runtime" },
    {
      option: "--containers",
      fallback: () => "auto" as const,
      sentence:
        "The container runtime in which steps run that name an image: `podman`, `docker` or `apptainer`. `auto` uses the first of them that works, and " +
        "otherwise runs such steps without their image, and refuses CWL documents that require theirs. `none` runs " +
        "every step without its image, even if the step requires it.",
    },
  ),
  defaultImage: setting(word("the name of an image"), {
    option: "--default-image",
    fallback: () => undefined,
    fallbackText: "none: they run without a container",
    sentence: "The image of steps that name none.",
  }),
  pullImages: setting(choice("always", "missing", "never"), {
    option: "--pull-images",
    fallback: () => "missing" as const,
    sentence:
      "When images are fetched from their registries: before every job, if they are not on this machine, or never.",
  }),
  packedImages: setting(file("a file", "file"), {
    option: "--packed-images",
    fallback: () => undefined,
    fallbackText: "none",
    sentence:
      "The file `images.txt` of a pack. Each line has the id of an image on this machine and the name that steps use for it, with a tag or a digest.",
  }),
  pullTimeoutMs: setting(duration(1000, 86_400_000), {
    option: "--pull-timeout",
    fallback: () => 30 * 60_000,
    sentence: "The time limit for fetching one image. Then the jobs that wait for it fail.",
  }),
  allowedImages: setting(patternList("images"), {
    option: "--allow-images",
    fallback: () => undefined,
    fallbackText: "all",
    sentence:
      "The images that steps may use, with commas between them. `*` stands for any text: `docker.io/reanahub/*,python`.",
  }),
} as const;

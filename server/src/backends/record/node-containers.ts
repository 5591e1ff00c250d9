import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { bindWord } from "#backends/containers/run-words";
import { wantedImage } from "#backends/containers/images/wanted-image";
import { fullImageName } from "#backends/containers/images/image-name";
import { MARK } from "#backends/process/table/marked-processes";
import { nameOfJob } from "#backends/record/place";
import { shellQuote } from "#plumbing/text/shell-quote";

/** How steps with an image run on the nodes of a cluster. */
export interface NodeContainers {
  readonly runtime: NodeRuntimeName;
  readonly pull: "always" | "missing" | "never";
  readonly defaultImage?: string | undefined;
  readonly allowedImages?: readonly string[] | undefined;
}

/** The programs of a node that can run the image of a job. */
export type NodeRuntimeName = keyof typeof RUNTIMES;

/** A job in an image. All paths are absolute, and the same on the node. */
interface NodeContainer {
  readonly name: string;
  readonly image: string;
  readonly pull: NodeContainers["pull"];
  readonly mark: string;
  readonly workspaceFolder: string;
  readonly recordFolder: string;
  /** Files and folders of the record that the job sees. */
  readonly shown: readonly { readonly path: string; readonly mode: "read" | "write" }[];
  /** The script that becomes the command, which bash of the image runs. */
  readonly script: string;
}

interface NodeRuntime {
  /** Returns the script of bash that starts the container in the foreground, and ends with its exit code. */
  startText(container: NodeContainer): string;
  /** Returns the script of sh that removes what a killed container has left on the node. */
  tidyText(container: Pick<NodeContainer, "name">): string;
}

const PODMAN = readFileSync(new URL("./podman-on-node.sh", import.meta.url), "utf8");

const RUNTIMES = {
  podman: {
    startText({ name, image, pull, mark, workspaceFolder, recordFolder, shown, script }) {
      const binds = [
        { from: workspaceFolder, at: workspaceFolder, mode: "write" } as const,
        ...shown.map(({ path: file, mode }) => ({ from: file, at: file, mode })),
      ];
      const words = [
        `--name=${name}`,
        `--env=${MARK}=${mark}`,
        ...binds.map((bind) => `--mount=${bindWord(bind)}`),
        `--workdir=${workspaceFolder}`,
      ];
      return [
        // The supervisor finds podman and its monitor by the mark, like all processes of the job.
        `export ${MARK}=${shellQuote(mark)}`,
        `image=${shellQuote(image)} pull=${pull} record=${shellQuote(recordFolder)} script=${shellQuote(script)}`,
        `words=(${words.map(shellQuote).join(" ")})`,
        PODMAN,
      ].join("\n");
    },
    tidyText: ({ name }) => `podman rm --force --ignore --time=0 ${shellQuote(name)}\n`,
  },
} as const satisfies Record<string, NodeRuntime>;

/** The files of a record by which a job runs in an image: `start` and `tidy`. `start` runs `inside` in the image. */
export interface ContainedStart {
  readonly start: string;
  readonly tidy: string;
}

/** Parts of a record that a job in an image sees, if they exist. It sees neither its end nor its claim. */
const SHOWN = [
  ["inside", "read"],
  ["command.sh", "read"],
  ["secrets", "read"],
  ["scratch", "write"],
] as const;

/** Returns the image in which a job runs. Undefined if it runs without one. Throws if the image is not allowed. */
export function maybeNodeImage(
  image: string | null,
  containers: NodeContainers | undefined,
): string | undefined {
  const wanted = containers && (image ?? containers.defaultImage);
  return wanted === undefined ? undefined : fullImageName(wantedImage(wanted, containers?.allowedImages));
}

/** Returns the scripts for a job in an image. `made` is the folder of the record while it is made. */
export function containedStart(
  { runtime, pull }: NodeContainers,
  job: {
    readonly id: string;
    readonly image: string;
    readonly mark: string;
    readonly workspaceFolder: string;
  },
  { made, folder }: { readonly made: string; readonly folder: string },
): ContainedStart {
  const { startText, tidyText } = RUNTIMES[runtime];
  const { id, ...rest } = job;
  const name = nameOfJob(id);
  const shown = SHOWN.filter(([part]) => part === "inside" || existsSync(path.join(made, part)));
  const start = startText({
    ...rest,
    name,
    pull,
    recordFolder: folder,
    shown: shown.map(([part, mode]) => ({ path: path.join(folder, part), mode })),
    script: path.join(folder, "inside"),
  });
  return { start, tidy: tidyText({ name }) };
}

import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import path from "node:path";
import type { Podman } from "#backends/containers/podman-fixture";

/** A place where the jobs of a world run, and the job's way to write the line that proves its execution. */
export interface JobPlace {
  /** Settings of the server. */
  readonly environment: Readonly<Record<string, string>>;
  /** Returns a serial step that takes `seconds`, and writes the job's id to the log and to the file. */
  job(seconds: number, then: string): string;
  /** Returns a sentence for each remnant of ended jobs outside the server's reach. */
  left(jobIds: readonly string[]): string[];
  close(): Promise<void>;
}

/** `folder` is for the place alone. Each job adds a line to `ranFile`, which is in the folder. */
export type OpenPlace = (folder: string, ranFile: string) => Promise<JobPlace>;

/**
 * Writes a line to the log at the start and the end, and in between a line to the file shared by all jobs of
 * the world.
 */
const SCRIPT = (tell: string) => `echo "begin $REPRISE_JOB_ID"
${tell}
if [ "$1" != 0 ]; then sleep "$1"; fi
echo "end $REPRISE_JOB_ID"
`;
const LINE = '"$REPRISE_JOB_ID $$ $RANDOM"';

export const onHost: OpenPlace = async (folder, ranFile) => {
  const script = path.join(folder, "job.sh");
  await writeFile(script, SCRIPT(`echo ${LINE} >> ${ranFile}`));
  return {
    environment: {},
    job: (seconds, then) => `bash ${script} ${seconds} && ${then}`,
    left: () => [],
    close: async () => undefined,
  };
};

export const inSandbox: OpenPlace = async (folder, ranFile) => ({
  ...(await onHost(folder, ranFile)),
  environment: { REPRISE_SANDBOX: "bubblewrap", REPRISE_MOUNTS: `${folder}:${folder}:write` },
});

/** The image of the jobs in containers. It is made by `addJobImage`. */
const IMAGE = "localhost/witnessed:1";
/**
 * A job in a container has no access to the files of its world, so the job sends its line to a server, and
 * waits until the server has written the line.
 */
const TELL = `exec 3<>/dev/tcp/127.0.0.1/"$2"; echo ${LINE} >&3; read -r _ <&3; exec 3>&-`;

/** Makes the image for the jobs of all worlds. */
export function addJobImage(podman: Podman): void {
  podman.addImage(IMAGE, [], { "job.sh": SCRIPT(TELL) });
}

export function inContainers(podman: () => Podman): OpenPlace {
  return async (_folder, ranFile) => {
    const listener = createServer((socket) => hear(socket, ranFile)).listen(0, "127.0.0.1");
    await once(listener, "listening");
    const { port } = listener.address() as AddressInfo;
    return {
      environment: {
        REPRISE_CONTAINERS: "podman",
        REPRISE_PULL_IMAGES: "never",
        REPRISE_DEFAULT_IMAGE: IMAGE,
      },
      job: (seconds, then) => `bash /job.sh ${seconds} ${port} && ${then}`,
      left: (jobIds) =>
        podman()
          .containers()
          .filter((name) => jobIds.some((id) => name.endsWith(id)))
          .map((name) => `P7: the container ${name} is left.`),
      close: async () => void listener.close(),
    };
  };
}

function hear(socket: Socket, ranFile: string): void {
  let heard = "";
  // A job may be killed at any moment.
  socket.on("error", () => undefined);
  socket.on("data", (text) => {
    heard += String(text);
    if (!heard.endsWith("\n")) return;
    appendFileSync(ranFile, heard);
    heard = "";
    socket.write("\n");
  });
}

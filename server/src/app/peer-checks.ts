import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { OpenedData } from "#app/data-folder";
import { codeOf, Refusal } from "#plumbing/errors";
import { type DataFolder, DataFolderError } from "#plumbing/files/data-folder";
import { systemRandom } from "#plumbing/ids";
import type { Peers } from "#peers/peers";
import { presentOthers } from "#store/hosts/hosts";

/** Questions of a starting server to the other servers: do all see one folder? */
const HOST = "host";
const PROOF = "proof";

type Checked = Pick<OpenedData, "db" | "data" | "hostId" | "incomingFolder">;

/** Refuses a start next to a server with a copy of this data folder, or with another folder than the shared one. */
export async function refuseCopies(opened: Checked, peers: Peers): Promise<void> {
  await refuseTwin(opened, peers);
  await refuseOtherDisk(opened, peers);
}

async function refuseTwin({ data, hostId }: Checked, peers: Peers): Promise<void> {
  if ((await maybeAnswer(peers, hostId, HOST)) !== hostId) return;
  throw new DataFolderError(
    `The data folder ${data.folder} is a copy of another one, whose server runs: both have the host id ${hostId}. ` +
      "Each server needs a data folder of its own: name an empty one with --data.",
  );
}

/** Writes a random file, and has each present server read it. */
async function refuseOtherDisk({ db, data, hostId, incomingFolder }: Checked, peers: Peers): Promise<void> {
  const name = `proof-${systemRandom.uuid()}`;
  const content = systemRandom.uuid();
  const file = path.join(incomingFolder, name);
  await writeFile(file, content, { flag: "wx", flush: true });
  try {
    for (const { id, name: host } of await presentOthers(db, hostId)) {
      const seen = await maybeAnswer(peers, id, PROOF, hostId, name);
      if (seen === undefined || seen === content) continue;
      throw new DataFolderError(
        `The shared folder ${data.shared} is not the one of the host ${host} (${id}): its server does not see a file ` +
          "that was just written there. Mount the same folder on all machines, not a copy.",
      );
    }
  } finally {
    await rm(file, { force: true });
  }
}

/** Returns undefined if the server of the host does not answer: its leases then decide. */
async function maybeAnswer(
  peers: Peers,
  hostId: string,
  about: string,
  ...details: unknown[]
): Promise<unknown> {
  try {
    return await peers.ask(hostId, about, ...details);
  } catch (error) {
    if (error instanceof Refusal && error.kind === "unavailable") return undefined;
    throw error;
  }
}

/** Returns the answers to the questions of a peer. */
export function checkAnswers(hostId: string, { incoming }: DataFolder) {
  return {
    [HOST]: async () => hostId,
    [PROOF]: (host: string, name: string) => maybeProof(incoming, host, name),
  };
}

/** Returns the content of a proof of another server. Null if it is not there. */
async function maybeProof(incoming: string, host: string, name: string): Promise<string | null> {
  if (![host, name].every((part) => /^[\da-z-]+$/.test(part))) return null;
  try {
    return await readFile(path.join(incoming, host, name), "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

import { once } from "node:events";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { FOLDER_LOCATION, O_PATH } from "#plumbing/files/open-flags";

/**
 * Connects to a socket in the HOME of a job. The job can replace the socket at any time, also during the
 * call. Therefore the file is first opened without following a link, and the connection goes to exactly the
 * opened file. The short path also fits into a socket's address, which holds only 108 bytes.
 */
export async function connectToJob(homeFolder: string, socketName: string): Promise<Socket> {
  const home = await open(homeFolder, FOLDER_LOCATION);
  try {
    const file = await open(path.join(pathOf(home), socketName), O_PATH | constants.O_NOFOLLOW);
    try {
      if (!(await file.stat()).isSocket())
        throw new Error(`${socketName} in the job's HOME is not a socket.`);
      const socket = connect(pathOf(file));
      await once(socket, "connect");
      return socket;
    } finally {
      await file.close();
    }
  } finally {
    await home.close();
  }
}

function pathOf({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

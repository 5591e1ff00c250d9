import { Readable } from "node:stream";
import type { DiskMeter } from "#operations/quota/disk-meter";
import { Refusal } from "#plumbing/errors";
import { wouldExceedSentence } from "#workflow/people/quota";

/** Disk space for arriving files. Concurrent uploads share the rest of a quota. */
export interface Room {
  /** True if the space is limited, so contents must be counted on arrival. */
  readonly isLimited: boolean;
  /** Takes space for a part of a file. Refuses as soon as the file no longer fits. */
  take(bytes: number, fileName: string): Promise<void>;
  /** Ends the upload. */
  close(hasArrived: boolean): void;
}

export function openRoom(meter: DiskMeter, userId: string, limit: number | undefined): Room {
  if (limit === undefined) return UNLIMITED;
  let taken = 0;
  return {
    isLimited: true,
    async take(bytes, fileName) {
      taken += bytes;
      meter.expect(userId, bytes);
      if ((await meter.bytesOf(userId)) <= limit) return;
      if ((await meter.bytesOf(userId, { isNew: true })) <= limit) return;
      throw new Refusal("forbidden", wouldExceedSentence(fileName, limit), { errorCode: "quota-exceeded" });
    },
    close(hasArrived) {
      meter.settle(userId, taken, hasArrived);
      taken = 0;
    },
  };
}

const UNLIMITED: Room = { isLimited: false, take: () => Promise.resolve(), close: () => undefined };

/** Passes content on while the room lasts. An announced length is refused before the first byte. */
export async function* meteredContent(
  room: Room,
  fileName: string,
  content: AsyncIterable<Uint8Array>,
  announcedBytes = 0,
): AsyncGenerator<Uint8Array, void> {
  let left = announcedBytes;
  await room.take(left, fileName);
  // A refusal must not destroy the request, which still needs a response.
  const chunks = content instanceof Readable ? content.iterator({ destroyOnReturn: false }) : content;
  for await (const chunk of chunks) {
    const more = chunk.length - left;
    left = Math.max(0, -more);
    if (more > 0) await room.take(more, fileName);
    yield chunk;
  }
}

/** Runs an upload with a room and closes the room afterwards. */
export async function withRoom<Result>(room: Room, upload: () => Promise<Result>): Promise<Result> {
  let hasArrived = false;
  try {
    const result = await upload();
    hasArrived = true;
    return result;
  } finally {
    room.close(hasArrived);
  }
}

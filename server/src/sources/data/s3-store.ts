import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { Refusal } from "#plumbing/errors";
import { PassingFault } from "#plumbing/passing-fault";
import { printable } from "#plumbing/text/printable";
import { errorOf, readable, s3Fault } from "#sources/data/replies";
import type { Outgoing, S3Call, S3Requests } from "#sources/data/s3-requests";
import { escapedXml, textsOf } from "#sources/data/s3-xml";
import { bufferedBody, digestedRange } from "#sources/data/outgoing-bodies";
import type { OutgoingContent, StorePlace, TryAgain } from "#workflow/data-store";

/** Size from which content travels in parts, and of a part. A service accepts 10,000 parts. */
const PART_BYTES = 16 << 20;
const PARTS_MAX = 10_000;
const SHA256 = "x-amz-meta-sha256";

/** Returns the checksum that `putS3` has noted with an object. */
export async function maybeS3Sha256(requests: S3Requests, place: StorePlace): Promise<string | undefined> {
  const { reply, work } = await ask(requests, place, { method: "HEAD" });
  reply.resume();
  if (reply.statusCode === 404) return undefined;
  if (reply.statusCode !== 200) throw await errorOf(reply, work, s3Fault);
  const noted = reply.headers[SHA256];
  return typeof noted === "string" ? noted : undefined;
}

/** Stores an object with its checksum. */
export async function putS3(
  requests: S3Requests,
  place: StorePlace,
  content: OutgoingContent,
  tryAgain: TryAgain,
): Promise<void> {
  if (content.bytes > PART_BYTES) return putInParts(requests, place, content, tryAgain);
  const { bytes, sha256 } = content;
  const body: Outgoing = { bytes, sha256, chunks: () => content.range(0, bytes) };
  const headers = { [SHA256]: sha256, "content-type": "application/octet-stream" };
  await tryAgain(() => succeed(requests, place, { method: "PUT", headers, body }));
}

async function putInParts(
  requests: S3Requests,
  place: StorePlace,
  content: OutgoingContent,
  tryAgain: TryAgain,
): Promise<void> {
  await removeUnfinished(requests, place, tryAgain);
  const headers = { [SHA256]: content.sha256, "content-type": "application/octet-stream" };
  const begun = await tryAgain(() =>
    succeed(requests, place, { method: "POST", query: [["uploads", ""]], headers }),
  );
  const [uploadId] = textsOf(begun.text, "UploadId");
  if (uploadId === undefined)
    throw new Refusal("unavailable", `${workOf(place)}: the service began no upload.`);
  const partBytes = Math.max(PART_BYTES, Math.ceil(content.bytes / PARTS_MAX));
  const tags: string[] = [];
  for (let start = 0; start < content.bytes; start += partBytes) {
    const body = await digestedRange(content, start, Math.min(start + partBytes, content.bytes));
    const query = [
      ["partNumber", String(tags.length + 1)],
      ["uploadId", uploadId],
    ] as const;
    const { reply } = await tryAgain(() => succeed(requests, place, { method: "PUT", query, body }));
    tags.push(reply.headers.etag ?? "");
  }
  await complete(requests, place, { uploadId, tags, content, tryAgain });
}

interface Completing {
  readonly uploadId: string;
  readonly tags: readonly string[];
  readonly content: OutgoingContent;
  readonly tryAgain: TryAgain;
}

/** Makes the parts one object. The reply of an attempt that has succeeded may have been lost. */
async function complete(
  requests: S3Requests,
  place: StorePlace,
  { uploadId, tags, content, tryAgain }: Completing,
): Promise<void> {
  const parts = tags.map(
    (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapedXml(tag)}</ETag></Part>`,
  );
  const body = bufferedBody(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
  await tryAgain(async () => {
    try {
      const done = await succeed(requests, place, { method: "POST", query: [["uploadId", uploadId]], body });
      // The service may find a fault after it has begun to reply.
      const [code] = textsOf(done.text, "Code");
      if (code !== undefined) throw new PassingFault(`${workOf(place)}: ${printable(code, 100)}.`);
    } catch (error) {
      const isGone = error instanceof Refusal && error.kind === "absent";
      if (isGone && (await maybeS3Sha256(requests, place)) === content.sha256) return;
      throw error;
    }
  });
}

/** Removes uploads of this key that a broken attempt has left: their parts would cost money forever. */
async function removeUnfinished(requests: S3Requests, place: StorePlace, tryAgain: TryAgain): Promise<void> {
  const query = [
    ["prefix", place.key],
    ["uploads", ""],
  ] as const;
  const ofBucket = { ...place, key: "" };
  const listed = await tryAgain(() =>
    succeed(requests, ofBucket, { method: "GET", query }).catch(ifForbidden),
  );
  if (!listed) return;
  const uploads = [...listed.text.matchAll(/<Upload>(.*?)<\/Upload>/gs)].map(([, inside = ""]) => inside);
  for (const inside of uploads) {
    const [uploadId] = textsOf(inside, "UploadId");
    if (textsOf(inside, "Key")[0] !== place.key || uploadId === undefined) continue;
    await tryAgain(() => succeed(requests, place, { method: "DELETE", query: [["uploadId", uploadId]] }));
  }
}

/** Keys that may only write must do: unfinished uploads are then left to the rules of the bucket. */
function ifForbidden(error: unknown): null {
  if (error instanceof Refusal && error.kind === "forbidden") return null;
  throw error;
}

type Asked = Pick<S3Call, "method" | "query" | "headers" | "body">;

async function ask(requests: S3Requests, place: StorePlace, asked: Asked) {
  const { destination, secret, key, signal } = place;
  const work = workOf(place);
  const { bucket } = destination;
  const reply = await requests.send({
    ...asked,
    place: destination,
    secret,
    bucket,
    key,
    prefix: work,
    signal,
  });
  return { reply, work };
}

/** Sends a request and returns the successful reply with its text. */
async function succeed(
  requests: S3Requests,
  place: StorePlace,
  asked: Asked,
): Promise<{ readonly reply: IncomingMessage; readonly text: string }> {
  const { reply, work } = await ask(requests, place, asked);
  const status = reply.statusCode ?? 0;
  if (status < 200 || status > 299) throw await errorOf(reply, work, s3Fault);
  return { reply, text: await text(readable(reply, place.signal, work)) };
}

function workOf({ destination, key }: StorePlace): string {
  return `${printable(`s3://${destination.bucket}/${key}`, 500)} could not be stored`;
}

import { text } from "node:stream/consumers";
import { PassingFault } from "#plumbing/passing-fault";
import { errorOf, readable, s3Fault } from "#sources/data/replies";
import type { S3Requests } from "#sources/data/s3-requests";
import { textsOf } from "#sources/data/s3-xml";
import type { ListedObject, ListedPage, ListQuestion } from "#workflow/data-source";
import { bucketOf, shownAddress } from "#workflow/specification/remote-inputs";

/** A page holds 1,000 keys of up to 1,024 bytes, which may be encoded. */
const PAGE_BYTES_MAX = 8 << 20;

/** Asks an S3 service for one page of the keys behind a prefix. */
export async function listS3(requests: S3Requests, question: ListQuestion): Promise<ListedPage> {
  const { place, secret, prefix, isFlat, after, signal } = question;
  const work = `${shownAddress(place.address)} could not be listed`;
  const reply = await requests.send({
    method: "GET",
    place,
    secret,
    bucket: bucketOf(place.address)!,
    key: "",
    query: [
      ["list-type", "2"],
      // Keys may hold characters that XML does not have.
      ["encoding-type", "url"],
      ["prefix", prefix],
      ...(isFlat ? [["delimiter", "/"] as const] : []),
      ...(after === undefined ? [] : [["continuation-token", after] as const]),
    ],
    prefix: work,
    signal,
  });
  if (reply.statusCode !== 200) throw await errorOf(reply, work, s3Fault);
  const page = pageOf(await text(bounded(readable(reply, signal, work), work)));
  if (!page) throw new PassingFault(`${work}: the reply of the service is not a whole listing.`);
  return page;
}

async function* bounded(chunks: AsyncIterable<Uint8Array>, work: string): AsyncGenerator<Uint8Array, void> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > PAGE_BYTES_MAX) throw new PassingFault(`${work}: a page of the listing is too long.`);
    yield chunk;
  }
}

/** Reads a page. Returns undefined for another text. */
function pageOf(xml: string): ListedPage | undefined {
  if (!/<\/ListBucketResult>\s*$/.test(xml)) return undefined;
  const decode = textsOf(xml, "EncodingType")[0] === "url" ? decodedKey : (key: string) => key;
  const objects = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, inside = ""]): ListedObject => {
    const [key = ""] = textsOf(inside, "Key");
    return {
      key: decode(key),
      bytes: Number(textsOf(inside, "Size")[0]),
      validator: textsOf(inside, "ETag")[0],
    };
  });
  const isCut = textsOf(xml, "IsTruncated")[0] === "true";
  return { objects, next: isCut ? textsOf(xml, "NextContinuationToken")[0] : undefined };
}

/** Services write a blank as `+`. */
function decodedKey(key: string): string {
  return decodeURIComponent(key.replaceAll("+", " "));
}

import type { IncomingHttpHeaders } from "node:http";
import { finished, PassThrough, type Readable } from "node:stream";
import { Busboy } from "@fastify/busboy";
import { uploadBrokenOff } from "#api/http/request/upload-body";
import { messageOf, Refusal } from "#plumbing/errors";

type Receivers<Name extends string> = Readonly<Record<Name, (content: Readable) => Promise<void>>>;

const MAX_PARTS = 10;

/**
 * Passes each part of a form to the receiver with its name, as the part arrives. Returns after all receivers have
 * finished. Refuses a part without a receiver, a part that comes twice, and a truncated form.
 */
export async function readForm<Name extends string>(
  headers: IncomingHttpHeaders,
  body: Readable,
  receivers: Receivers<Name>,
): Promise<ReadonlySet<Name>> {
  const taken = new Map<Name, Promise<void>>();
  const streams: PassThrough[] = [];
  const form = openForm(headers);
  const { promise: whole, resolve, reject } = Promise.withResolvers<void>();
  let hasFailed = false;
  const fail = (error: Error) => {
    hasFailed = true;
    for (const stream of streams) stream.destroy(error);
    reject(error);
  };
  form.on("file", (name, part) => {
    part.on("error", (error) => fail(malformed(messageOf(error), error)));
    // Otherwise the content of a part that arrived with the refused part would never end.
    if (hasFailed) return void part.resume();
    const receive = (receivers as Partial<Record<string, Receivers<Name>[Name]>>)[name];
    if (!receive || taken.has(name as Name)) {
      part.resume();
      return fail(
        malformed(`it holds the part ${JSON.stringify(name.slice(0, 100))}, which is not expected here`),
      );
    }
    // The stream ends only after the whole form has arrived, so that a truncated part is not accepted as a
    // whole part.
    const content = new PassThrough();
    content.on("error", () => undefined);
    streams.push(content);
    const work = receive(part.pipe(content, { end: false }));
    work.catch(fail);
    taken.set(name as Name, work);
  });
  form.on("finish", () => {
    for (const stream of streams) stream.end();
    resolve();
  });
  form.on("partsLimit", () => fail(malformed(`it holds more than ${MAX_PARTS} parts`)));
  form.on("error", (error: unknown) => fail(malformed(messageOf(error), error)));
  finished(body, { writable: false }, (error) => {
    if (error) fail(uploadBrokenOff(error));
  });
  body.pipe(form);
  try {
    await whole;
    await Promise.all(taken.values());
    return new Set(taken.keys());
  } finally {
    body.unpipe(form);
    // The receivers of a refused form have cleaned up before the refusal is reported.
    await Promise.allSettled(taken.values());
  }
}

function openForm(headers: IncomingHttpHeaders) {
  try {
    return new Busboy({
      headers: { ...headers, "content-type": headers["content-type"] ?? "" },
      limits: { parts: MAX_PARTS },
      isPartAFile: () => true,
    });
  } catch (error) {
    throw malformed(messageOf(error), error);
  }
}

function malformed(reason: string, cause?: unknown): Refusal {
  return new Refusal(
    "malformed",
    `The multipart/form-data body cannot be read: ${reason}. Nothing was kept.`,
    {
      cause,
    },
  );
}

import type { IncomingHttpHeaders } from "node:http";
import { finished, PassThrough, type Readable } from "node:stream";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { uploadBrokenOff } from "#api/http/request/upload-body";
import { messageOf, Refusal } from "#plumbing/errors";

/** REANA's name for the part that holds the file. */
const FILE_PART = "file_content";
/** Maximum number of parts. A form with one file needs few; more are a mistake or an attack. */
const MAX_PARTS = 100;
const MAX_FIELD_BYTES = 65_536;

type Write<Result> = (content: Readable) => Promise<Result>;

/** File in transfer. Its stream ends only after the whole form has arrived. */
interface Upload {
  readonly part: Readable;
  readonly content: PassThrough;
  readonly isFilePart: boolean;
}

/**
 * Passes the file of a form to `write` as it arrives: the part `file_content`, else the only file part. The
 * choice may be clear only at the end of the form. Therefore the first file part is written immediately. If
 * it turns out to be the wrong part, its stream is aborted, and the written bytes are dropped. A truncated
 * form also ends in an error.
 */
export async function writeFilePart<Result>(
  headers: IncomingHttpHeaders,
  body: Readable,
  write: Write<Result>,
): Promise<Result> {
  const form = openForm(headers);
  try {
    return await new Promise((resolve, reject) => receive(form, body, write, resolve, reject));
  } finally {
    body.unpipe(form);
  }
}

function receive<Result>(
  form: BusboyInstance,
  body: Readable,
  write: Write<Result>,
  resolve: (result: Result) => void,
  reject: (error: unknown) => void,
): void {
  let upload: Upload | undefined;
  let others = 0;
  const fail = (error: Error) => {
    upload?.content.destroy(error);
    reject(error);
  };
  form.on("file", (name, part) => {
    part.on("error", (error) => fail(malformedForm(error)));
    if (upload && (upload.isFilePart || name !== FILE_PART)) {
      others += 1;
      part.resume();
      return;
    }
    if (upload) breakOff(upload);
    const mine = { part, content: new PassThrough(), isFilePart: name === FILE_PART };
    upload = mine;
    // The writer gets the error through its promise. Without a listener the error would end the process.
    mine.content.on("error", () => undefined);
    part.pipe(mine.content, { end: false });
    write(mine.content).then(resolve, (error: Error) => (upload === mine ? fail(error) : undefined));
  });
  form.on("finish", () => {
    if (!upload) fail(noFilePart());
    else if (others > 0 && !upload.isFilePart) fail(severalFileParts());
    else upload.content.end();
  });
  form.on("partsLimit", () => fail(tooManyParts()));
  form.on("error", (error: unknown) => fail(malformedForm(error)));
  finished(body, { writable: false }, (error) => {
    if (error) fail(uploadBrokenOff(error));
  });
  body.pipe(form);
}

/** Discards a part because another one is the file. The rest of the part is read and dropped. */
function breakOff({ part, content }: Upload): void {
  part.unpipe(content).resume();
  content.destroy(new Error("A different part of the form is the file."));
}

function openForm(headers: IncomingHttpHeaders): BusboyInstance {
  const contentType = headers["content-type"] ?? "";
  try {
    return new Busboy({
      headers: { ...headers, "content-type": contentType },
      limits: { parts: MAX_PARTS, fieldSize: MAX_FIELD_BYTES },
      isPartAFile: (name, type, fileName) =>
        name === FILE_PART || fileName !== undefined || type === "application/octet-stream",
    });
  } catch (error) {
    throw malformedForm(error);
  }
}

function malformedForm(error: unknown): Refusal {
  const reason = messageOf(error);
  return new Refusal(
    "malformed",
    `The multipart/form-data body cannot be read: ${reason}. Nothing was kept.`,
    {
      cause: error,
    },
  );
}

function noFilePart(): Refusal {
  const message = `The form holds no file: send its content as the part ${FILE_PART}, or as the raw body.`;
  return new Refusal("malformed", message);
}

function severalFileParts(): Refusal {
  const message = `The form holds several files and none of them is called ${FILE_PART}: send one file in a request.`;
  return new Refusal("malformed", message);
}

function tooManyParts(): Refusal {
  return new Refusal("malformed", `The form holds more than ${MAX_PARTS} parts: send one file in a request.`);
}

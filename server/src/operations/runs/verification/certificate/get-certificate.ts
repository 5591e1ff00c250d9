import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { Caller } from "#operations/context";
import { fullNameOf } from "#operations/full-name";
import type { RunServices } from "#operations/runs/services";
import {
  codecheckText,
  recordText,
  reportText,
} from "#operations/runs/verification/certificate/certificate-texts";
import { getVerification, type VerificationInput } from "#operations/runs/verification/get-verification";
import { Refusal } from "#plumbing/errors";
import { zip, type ZipEntry } from "#plumbing/zip/zip-writer";
import { CERTIFICATE_FILES } from "#workflow/run/certificate";

type CertificateContext = Pick<RunServices, "tokenSeal"> & Parameters<typeof getVerification>[0];

export interface CertificateInput extends VerificationInput {
  /** Version of the server. */
  readonly version: string;
}

export interface Certificate {
  readonly fileName: string;
  readonly stream: Readable;
}

/**
 * Returns the result of a verification as a folder that follows CODECHECK, in a zip. The checksums of its files are signed
 * with the key of the server.
 */
export async function getCertificate(
  context: CertificateContext,
  caller: Caller,
  { version, ...asked }: CertificateInput,
  signal: AbortSignal,
): Promise<Certificate> {
  const found = await getVerification(context, caller, asked, signal);
  const { verified, repetition, state } = found;
  const name = fullNameOf(verified);
  if (state === "running" || state === "not-repeated") {
    const why = state === "running" ? "is running" : `has ${repetition.status}`;
    throw new Refusal(
      "conflict",
      `There is no certificate of ${name} yet, because ${fullNameOf(repetition)}, which repeats it, ${why}.`,
    );
  }
  const texts = {
    [CERTIFICATE_FILES.codecheck]: codecheckText(found, version),
    [CERTIFICATE_FILES.report]: reportText(found, version),
    [CERTIFICATE_FILES.record]: recordText(found, version),
  };
  const sums = Object.entries(texts).map(([file, text]) => `${sha256(text)}  ${file}\n`);
  const signed = sums.join("");
  const { signature, publicKey } = context.tokenSeal.sign(signed);
  const all = {
    ...texts,
    [CERTIFICATE_FILES.sums]: signed,
    [CERTIFICATE_FILES.signature]: `${signature}\n`,
    [CERTIFICATE_FILES.key]: publicKey,
  };
  const modifiedAtMs = repetition.finishedAtMs ?? repetition.createdAtMs;
  return {
    fileName: `${name}.certificate.zip`,
    stream: Readable.from(zip(entriesOf(all, modifiedAtMs)), { objectMode: false }),
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

async function* entriesOf(
  files: Readonly<Record<string, string>>,
  modifiedAtMs: number,
): AsyncGenerator<ZipEntry> {
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text);
    yield { name, modifiedAtMs, mode: 0o644, bytes: content.length, content: Readable.from([content]) };
  }
}

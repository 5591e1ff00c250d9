import { createHash } from "node:crypto";
import type { CliContext } from "#cli/context";
import { type Call, optionOf } from "#cli/call";
import { CommandError, EXIT_FAILURE, UsageError } from "#cli/failure";
import { type CrateSource, openCrate } from "#cli/runs/crate-source";
import { maybeJson } from "#plumbing/formats/json";
import { maybeSignedBy } from "#plumbing/secrets/certificate-key";
import { printable } from "#plumbing/text/printable";
import { CERTIFICATE_FILES } from "#workflow/run/certificate";
import { isObject } from "#workflow/specification/shape";

/** A certificate with 20,000 outputs has less. */
const FILE_MAX_BYTES = 64 << 20;
const TEXT_MAX = 1000;

/** Content of a certificate with a checked signature and checked checksums. */
interface Checked {
  readonly signedBy: string;
  readonly state: string;
  readonly summary: string;
}

/**
 * Checks a certificate without a server: its signature, and the checksum of each file. Returns 0 if it is intact and says
 * that all outputs are identical or equivalent, else 1.
 */
export async function checkCertificate(cli: CliContext, call: Call, file: string): Promise<number> {
  if (call.args.length > 0) throw new UsageError("With --check, a certificate is checked: name no workflow.");
  const source = await openCrate(file, "certificate");
  try {
    const { signedBy, state, summary } = await checked(source, file);
    const wanted = optionOf(call, "key");
    if (wanted !== undefined && wanted !== signedBy)
      throw new CommandError(
        `The certificate ${file} is signed by the key ${signedBy}, and not by ${wanted}. Ask its server for one.`,
      );
    if (call.flags("json"))
      cli.print(JSON.stringify({ certificate: file, signed_by: signedBy, state, summary }));
    else {
      cli.print(printable(summary, TEXT_MAX));
      cli.print(`The certificate is intact, and signed by the key ${signedBy}.`);
    }
    return state === "identical" || state === "equivalent" ? 0 : EXIT_FAILURE;
  } finally {
    await source.close();
  }
}

async function checked(source: CrateSource, file: string): Promise<Checked> {
  const text = (name: string) => source.text(name, FILE_MAX_BYTES);
  const known = new Set<string>(Object.values(CERTIFICATE_FILES));
  const absent = [...known].find((name) => !source.names.has(name));
  if (absent !== undefined) throw wrong(file, `it has no ${absent}`);
  const added = [...source.names].find((name) => !known.has(name));
  if (added !== undefined) throw wrong(file, `${printable(added, TEXT_MAX)} does not belong to it`);
  const sums = await text(CERTIFICATE_FILES.sums);
  const signature = await text(CERTIFICATE_FILES.signature);
  const publicKey = await text(CERTIFICATE_FILES.key);
  const signedBy = maybeSignedBy(sums, { signature, publicKey });
  if (signedBy === undefined)
    throw wrong(file, `${CERTIFICATE_FILES.sums} is not signed by ${CERTIFICATE_FILES.key}`);
  for (const name of [CERTIFICATE_FILES.codecheck, CERTIFICATE_FILES.report, CERTIFICATE_FILES.record]) {
    const digest = createHash("sha256")
      .update(await text(name))
      .digest("hex");
    if (!sums.split("\n").includes(`${digest}  ${name}`))
      throw wrong(file, `${name} was changed after it was signed`);
  }
  const record = maybeJson(await text(CERTIFICATE_FILES.record));
  if (!isObject(record) || typeof record["state"] !== "string" || typeof record["summary"] !== "string")
    throw wrong(file, `${CERTIFICATE_FILES.record} has no verdict`);
  return { signedBy, state: record["state"], summary: record["summary"] };
}

function wrong(file: string, why: string): CommandError {
  return new CommandError(`The certificate ${file} does not hold: ${why}.`);
}

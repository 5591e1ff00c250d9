import process from "node:process";
import { BackendAwayError } from "#backends/backend";
import { runProgram } from "#backends/containers/run-program";
import type { ExecSource } from "#backends/kubernetes/api/kubeconfig";
import { systemClock } from "#plumbing/clock";
import { printable } from "#plumbing/text/printable";

/** Proof of identity of a client of the API server. */
export interface Credentials {
  readonly token?: string | undefined;
  readonly certificate?: Buffer | string | undefined;
  readonly key?: Buffer | string | undefined;
}

export interface ExecCredentials {
  get(): Promise<Credentials>;
  /** Runs the program again for the next call, because the API server refused what it printed. */
  forget(): void;
}

const TIMEOUT_MS = 60_000;
const OUTPUT_MAX_CHARACTERS = 2 ** 20;
/** Time between the renewal of credentials and their end. */
const BEFORE_MS = 30_000;

/** Gets credentials from a program, such as the helper of a cloud, and keeps the credentials until their end. */
export function execCredentials(source: ExecSource): ExecCredentials {
  let kept: { readonly credentials: Credentials; readonly untilMs: number } | undefined;
  let underWay: Promise<Credentials> | undefined;
  const ask = async () => {
    const status = await statusOf(source);
    const until = Date.parse(textOf(status["expirationTimestamp"]) ?? "");
    const credentials = {
      token: textOf(status["token"]),
      certificate: textOf(status["clientCertificateData"]),
      key: textOf(status["clientKeyData"]),
    };
    kept = { credentials, untilMs: Number.isNaN(until) ? Infinity : until - BEFORE_MS };
    return credentials;
  };
  return {
    async get() {
      if (kept && systemClock.now() < kept.untilMs) return kept.credentials;
      underWay ??= ask().finally(() => (underWay = undefined));
      return underWay;
    },
    forget: () => (kept = undefined),
  };
}

async function statusOf({
  command,
  args,
  env,
  apiVersion,
}: ExecSource): Promise<Readonly<Record<string, unknown>>> {
  const info = JSON.stringify({ apiVersion, kind: "ExecCredential", spec: { interactive: false } });
  const { code, stdout, stderr } = await runProgram([command, ...args], {
    timeoutMs: TIMEOUT_MS,
    outputMaxCharacters: OUTPUT_MAX_CHARACTERS,
    environment: { ...ownEnvironment(), ...env, KUBERNETES_EXEC_INFO: info },
  });
  const said = printable(stderr.trim().split("\n").at(-1) ?? "", 200);
  if (code !== 0)
    throw failure(command, `it ended with exit code ${code ?? "none"} (${said || "no message"})`);
  try {
    const { status } = JSON.parse(stdout) as { status?: Record<string, unknown> };
    if (status) return status;
  } catch {
    throw failure(command, "it printed something else than JSON");
  }
  throw failure(command, "it printed no status");
}

/** The environment of the server without its own settings, some of which are secret. */
function ownEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => !name.startsWith("REPRISE_"));
  return Object.fromEntries(entries) as Record<string, string>;
}

function failure(command: string, why: string): BackendAwayError {
  return new BackendAwayError(`Kubernetes: the program ${command} gave no credentials: ${why}.`);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

import { attempt } from "#notifications/attempt";
import type { Mail } from "#notifications/message";
import type { Clock } from "#plumbing/clock";
import { codeOf, messageOf } from "#plumbing/errors";

/** Sends messages as e-mail, through an SMTP server that the administrator has set. */
export interface MailSettings {
  /** `smtp://user:password@host:587`, or `smtps://` for TLS from the first byte. */
  readonly server: string;
  /** Address of the sender. */
  readonly from: string;
}

/** SMTP servers may delay the greeting. */
const LIMIT_MS = 30_000;

/** Sends an e-mail once. Returns the problem in a sentence, or undefined if the SMTP server has accepted it. */
export function sendMail(
  { clock, settings }: { readonly clock: Clock; readonly settings: MailSettings },
  to: string,
  mail: Mail,
  stopping: AbortSignal,
): Promise<string | undefined> {
  return attempt({
    clock,
    limitMs: LIMIT_MS,
    stopping,
    explain: problemOf,
    async send(signal) {
      // Loaded on first use: a server without e-mail need not wait for the import.
      const { createTransport } = await import("nodemailer");
      const { server, from } = settings;
      const { id, subject, text } = mail;
      const transport = createTransport({ url: server, requireTLS: hasPassword(server) });
      const headers = { "auto-submitted": "auto-generated" };
      const messageId = `<${id}@${from.split("@")[1]}>`;
      await transport.sendMail({
        from,
        to: { name: "", address: to },
        subject,
        text,
        headers,
        messageId,
        signal,
      });
      return undefined;
    },
  });
}

/** A password is sent over TLS only. */
function hasPassword(server: string): boolean {
  return new URL(server).password !== "";
}

/** Reports only the code of an SMTP server's reply, because the reply may repeat what the server was sent. */
function problemOf(error: unknown): string {
  const { responseCode } = error as { responseCode?: number };
  if (responseCode !== undefined) return `The mail server refused the message (${responseCode}).`;
  return `The mail server could not be reached: ${codeOf(error) ?? messageOf(error)}.`;
}

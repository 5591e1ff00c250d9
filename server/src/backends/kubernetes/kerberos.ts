import path from "node:path";
import { CREDENTIALS_AT } from "#backends/containers/job-container";
import type { Addition } from "#backends/kubernetes/addition";
import type { PodSettings } from "#backends/kubernetes/pod-settings";
import { inRecord } from "#backends/kubernetes/data-folders";
import { imageTextOf } from "#backends/kubernetes/job-image";
import { containerSecurity, pullPolicy } from "#backends/kubernetes/container-parts";
import { type Pod, statusOf } from "#backends/kubernetes/pod";
import { secretsFolder } from "#backends/process/attempt/secret-files";
import { RENEWAL_SECONDS, TICKET_VARIABLE, ticketNames } from "#backends/walls/kerberos/ticket";
import type { SentJob } from "#backends/record/place";
import { shellQuote } from "#plumbing/text/shell-quote";

/** The container that requests the ticket, and the container that renews the ticket. */
const TICKET = "kerberos";
const RENEWAL = "kerberos-renewal";

const KEYTAB_AT = "/keytab";
const CONFIGURATION = "/etc/krb5.conf";

/**
 * Returns the parts of a Pod for a Kerberos ticket, as REANA makes them: a container requests the ticket with the user's keytab
 * before the job starts, and a second container renews the ticket until the job ends. Throws a sentence if the secrets for a
 * ticket are missing.
 */
export function ticketAddition(sent: SentJob, settings: PodSettings): Addition {
  const { job, secrets, orderFile } = sent;
  if (!job.kerberos) return {};
  const { principal, keytab } = ticketNames({ job, secrets });
  const { image, configMap } = settings.parts?.kerberos ?? {};
  const { uid } = job.user ?? settings.user;
  const env = [{ name: TICKET_VARIABLE, value: `${CREDENTIALS_AT.ticket}/krb5_${uid}` }];
  const request = requestText(principal, path.posix.join(KEYTAB_AT, keytab));
  const volumeMounts = [
    { name: "ticket", mountPath: CREDENTIALS_AT.ticket },
    ...(configMap === undefined
      ? []
      : [{ name: "krb5-conf", mountPath: CONFIGURATION, subPath: "krb5.conf", readOnly: true }]),
  ];
  const keytabFolder = path.join(secretsFolder(path.dirname(orderFile)), "files");
  const container = {
    image: image ?? imageTextOf(job, settings.defaultImage),
    imagePullPolicy: pullPolicy(settings),
    env,
    resources: RESOURCES,
    securityContext: containerSecurity(uid, settings),
    terminationMessagePolicy: "FallbackToLogsOnError",
    volumeMounts: [
      ...volumeMounts,
      { ...inRecord(keytabFolder, sent, settings), mountPath: KEYTAB_AT, readOnly: true },
    ],
  };
  const seconds = settings.ticketRenewalSeconds ?? RENEWAL_SECONDS;
  return {
    initContainers: [
      { ...container, name: TICKET, command: ["/bin/sh", "-c", request] },
      {
        ...container,
        name: RENEWAL,
        restartPolicy: "Always",
        command: ["/bin/sh", "-c", renewalText(request, seconds)],
      },
    ],
    env,
    volumeMounts,
    volumes: [
      { name: "ticket", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
      ...(configMap === undefined ? [] : [{ name: "krb5-conf", configMap: { name: configMap } }]),
    ],
  };
}

/** A ticket is a few kilobytes, and a namespace may demand requests. */
const RESOURCES = { requests: { cpu: "10m", memory: "16Mi" }, limits: { memory: "64Mi" } };

/** A program that reads the ticket sees the old one or the new one. */
function requestText(principal: string, keytab: string): string {
  const file = `"$${TICKET_VARIABLE}"`;
  const made = `"$${TICKET_VARIABLE}.new"`;
  return `kinit -k -t ${shellQuote(keytab)} -c ${made} ${shellQuote(principal)} && mv -f ${made} ${file}`;
}

/** The kubelet ends the container once the job has ended. */
function renewalText(request: string, seconds: number): string {
  return `trap 'exit 0' TERM; while :; do sleep ${seconds} & wait $!; ${request}; done`;
}

/** Returns why a job got no ticket, if its Pod says so. */
export function maybeTicketFailure(pod: Pod): string | undefined {
  const { terminated } = statusOf(pod, TICKET)?.state ?? {};
  if (!terminated || terminated.exitCode === 0) return undefined;
  return terminated.message ?? `exit code ${terminated.exitCode}`;
}

import { messageAbout } from "#notifications/message";
import { makeWebhookSecret, webhookHeaders } from "#notifications/webhook";
import type { Clock } from "#plumbing/clock";
import type { Random } from "#plumbing/ids";
import type { ReportedStatus } from "#workflow/people/notification";
import type { WebhookSample } from "#workflow/reports";

const MINUTE_MS = 60_000;

/** Returns a message about a run that does not exist, signed with a new key, for the author of a receiver. */
export function webhookSample(
  { clock, random }: { readonly clock: Pick<Clock, "now">; readonly random: Random },
  status: ReportedStatus,
): WebhookSample {
  const atMs = clock.now();
  const message = messageAbout({
    notificationId: random.uuid(),
    runId: random.uuid(),
    status,
    atMs,
    name: "sample",
    runMajor: 1,
    runMinor: 0,
    createdAtMs: atMs - MINUTE_MS,
    startedAtMs: atMs - MINUTE_MS,
    failure: 'Step "fit" failed: its command exited with code 1.',
  });
  const secret = makeWebhookSecret(random);
  return { secret, headers: webhookHeaders({ secret, message }, atMs), body: message.body };
}

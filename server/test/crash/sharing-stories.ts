import { issueAndRevoke, signInAndOut } from "./keys.ts";
import type { Witness, WitnessedRun, WitnessedUser } from "./witness.ts";
import { openWebhookReceiver, type WebhookReceiver } from "../support/fakes/webhook-receiver.ts";
import { serial, type Story } from "./crash-stories.ts";

/** A run shared with two users. The owner then revokes the share of one user. */
export const sharing: Story = async ({ witness, job }) => {
  const [ada, bob, eve] = [
    await witness.createUser("ada"),
    await witness.createUser("bob"),
    await witness.inviteUser("eve"),
  ];
  const run = await witness.createRun("shared", serial([job()]), { token: ada.tokens[0]! });
  await witness.share(run, bob);
  const lost = await witness.share(run, eve);
  await witness.unshare(lost);
  await groups(witness, run, [bob, eve]);
};

/** A user whose token is revoked, and whose browser signs in and out. */
export const signingIn: Story = async ({ witness }) => {
  const ada = await witness.createUser("ada");
  await issueAndRevoke(witness, ada);
  await signInAndOut(witness, ada);
};

/** A run shared with a group: a member is removed, then a second group is deleted. */
async function groups(
  witness: Witness,
  run: WitnessedRun,
  [bob, eve]: readonly [WitnessedUser, WitnessedUser],
): Promise<void> {
  const other = await witness.createRun("grouped", serial(["true"]), { token: run.token });
  const group = await witness.createGroup(other);
  await witness.addMember(group, bob);
  const removed = await witness.addMember(group, eve);
  await witness.removeMember(group, removed);
  const second = await witness.createRun("regrouped", serial(["true"]), { token: run.token });
  const gone = await witness.createGroup(second);
  await witness.addMember(gone, eve);
  await witness.deleteGroup(gone);
}

/** Settings of the server of `reporting`. */
export const REPORTING_SETTINGS = { REPRISE_WEBHOOK_PRIVATE_HOSTS: "127.0.0.1" };

/** A run whose end is reported to a webhook, and a removed notification. */
export const reporting: Story = async ({ witness, job }) => {
  const receiver: WebhookReceiver = await openWebhookReceiver(({ path, body }) => {
    const { data } = JSON.parse(body) as { data: { id: string; status: string } };
    witness.messages.add(`${receiver.url}${path} ${data.id} ${data.status}`);
  });
  try {
    const ada = await witness.createUser("ada");
    const kept = await witness.notify(ada, receiver.url);
    await witness.removeNotification(await witness.notify(ada, receiver.url));
    const run = await witness.createRun("reported", serial([job()]), { token: ada.tokens[0]! });
    await witness.start(run);
    await witness.untilReported(run, kept);
  } finally {
    await receiver.close();
  }
};

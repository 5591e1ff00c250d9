import { serial, type Story } from "./crash-stories.ts";

/** A run that its owner shares with two users, one of whom loses it again. */
export const sharing: Story = async ({ witness, job }) => {
  const [ada, bob, eve] = [
    await witness.createUser("ada"),
    await witness.createUser("bob"),
    await witness.createUser("eve"),
  ];
  const run = await witness.createRun("shared", serial([job()]), { token: ada.tokens[0]! });
  await witness.share(run, bob);
  const lost = await witness.share(run, eve);
  await witness.unshare(lost);
};

import { expect, test } from "vitest";
import { fakeCli } from "#cli/fake-cli";
import { runCli } from "#cli/program";

async function reprise(...args: string[]) {
  const cli = fakeCli();
  return { code: await runCli(args, cli), printed: cli.printed, errors: cli.errors };
}

test("setup without a name lists the possible environments and the present ones", async () => {
  const { code, printed } = await reprise("setup");
  expect([code, printed]).toEqual([
    0,
    [
      "NAME       VERSION  PROGRAM     USE",
      "snakemake  9.0.0    not set up  Snakemake",
      "Set one up with: reprise setup snakemake",
    ],
  ]);
});

test("setup says where the program is", async () => {
  expect((await reprise("setup", "snakemake")).printed).toEqual([
    "snakemake 9.0.0 is set up: /data/snakemake",
  ]);
});

test("setup refuses an unknown name", async () => {
  expect(await reprise("setup", "nix")).toMatchObject({
    code: 2,
    errors: ["Nothing is called nix. Name snakemake."],
  });
});

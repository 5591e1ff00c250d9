import { createHash } from "node:crypto";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { registerHost, signOffHost } from "#store/hosts/hosts";
import { serial, type Story } from "./crash-stories.ts";

const PASSWORD = "correct horse battery staple";
const KEY = "-----BEGIN KEY-----\nnobody but the jobs of this user may read it\n";

/**
 * Secrets that are added, given to a job, and deleted. The jobs do not print secrets, so a file on the disk
 * must not contain a secret.
 */
export const secrets: Story = async ({ witness, job }) => {
  await witness.addSecret("PASSWORD", "env", PASSWORD);
  await witness.addSecret("key.txt", "file", KEY);
  const hasPassword = `test "$$(printf %s "$$PASSWORD" | sha256sum)" = "${sumOf(PASSWORD)}"`;
  const hasKey = `test "$$(sha256sum < "$$REANA_SECRETS_DIR/key.txt")" = "${sumOf(KEY)}"`;
  const both = await witness.createRun("both", serial([job(0, hasPassword), job(0.1, hasKey)]));
  await witness.start(both);
  await witness.until(both, "finished");
  await witness.deleteSecret("key.txt");
  const fewer = await witness.createRun(
    "fewer",
    serial([job(0, `test -z "$$REANA_SECRETS_DIR" && ${hasPassword}`)]),
  );
  await witness.start(fewer);
  await witness.until(fewer, "finished");
};

/** Formats a checksum as sha256sum prints it. */
function sumOf(text: string): string {
  return `${createHash("sha256").update(text).digest("hex")}  -`;
}

/** A host that is declared lost, and a server of a lost host that has come back. */
export const lostHosts: Story = async ({ witness, job, withDatabase }) => {
  const run = await witness.createRun("lasting", serial([job(6), job()]));
  await witness.start(run);
  await witness.until(run, "running");
  await withDatabase(async (db) => {
    await db.updateTable("hosts").set({ must_end_jobs: 1 }).execute();
    await registerHost(db, { id: "gone", name: "gone" });
    await signOffHost(db, "gone");
  });
  for (let time = 0; time < 2; time += 1) await witness.ask("POST", "admin/hosts/gone/declare-lost");
  // The server looks every five seconds for jobs that were given up.
  await witness.until(run, "finished");
};

/** The program that stands for `jupyter-lab` in the story of notebooks. */
export const NOTEBOOK_SETTINGS = {
  REPRISE_JUPYTER: path.join(import.meta.dirname, "waiting-notebook.sh"),
};

/**
 * A notebook that is opened and closed, and a notebook that is removed with its run. If a server died during
 * a request, the request may have been carried out.
 */
export const notebooks: Story = async ({ witness, job }) => {
  const run = await witness.createRun("noted", serial([job()]));
  const open = () => witness.ask("POST", `workflows/${run.id}/open/jupyter`, { body: "{}" });
  const close = () => witness.ask("POST", `workflows/${run.id}/close`);
  const expectOneOf = async (replies: readonly number[], ask: typeof open) => {
    const { status, body } = await ask();
    if (!replies.includes(status)) throw new Error(`A notebook: ${status} ${JSON.stringify(body)}`);
  };
  await expectOneOf([200, 404], open);
  await expectOneOf([404], open);
  await expectOneOf([200, 404], close);
  await expectOneOf([200, 404], open);
  await witness.remove(run);
};

/** A workspace pruned on request, and then by the retention rules of its ended run. */
export const tidying: Story = async ({ witness, job }) => {
  const specification = {
    ...serial([job()]),
    inputs: { files: ["tmp/needed.txt"], directories: ["data"] },
    outputs: { files: ["plots/*"] },
    workspace: { retention_days: { "tmp/**": 0, "kept/**": 1 } },
  };
  const run = await witness.createRun("tidy", specification);
  const put = (...names: readonly string[]) =>
    Promise.all(names.map((name) => witness.upload(run, name, name)));
  await put("tmp/needed.txt", "data/in/a.csv", "plots/one.png");
  await put("old/one", "old/two", "old/deep/three");
  await witness.prune(run, ["old/one", "old/two", "old/deep/three"]);
  await put("tmp/one", "tmp/two", "tmp/deep/three", "kept/one", "log");
  await witness.startWithRules(run, ["tmp/one", "tmp/two", "tmp/deep/three"]);
  await witness.until(run, "finished");
  const patient = await witness.createRun("patient", {
    ...serial([job()]),
    workspace: { retention_days: { "old/**": 1 } },
  });
  const body = JSON.stringify({ extend_days: 30 });
  await witness.expect(200, "PATCH", `workflows/${patient.id}/retention_rules`, { body });
  await witness.remove(patient);
};

/** Runs that keep their outputs only: one that finishes, and one that fails and is restarted. */
export const keeping: Story = async ({ witness, job }) => {
  const commands = [job(0, "mkdir -p out; touch out/a out/b out/c out/kept"), job(0, "touch out/d")];
  const specification = (steps: readonly string[]) => ({
    ...serial(steps),
    outputs: { files: ["out/kept"] },
    workspace: { keep: "outputs" },
  });
  const run = await witness.createRun("keeping", specification(commands));
  await witness.upload(run, "note", "kept");
  await witness.start(run);
  await witness.until(run, "finished");
  await witness.expectFiles(run, ["note", "out/kept"]);
  const fails = await witness.createRun("failing", specification([commands[0]!, job(0, "exit 3")]), {
    endsAs: "failed",
  });
  await witness.start(fails);
  await witness.until(fails, "failed");
  await witness.expectFiles(fails, ["out/a", "out/b", "out/c", "out/kept"]);
};

/** Settings of the server of `aging`. */
export const AGING_SETTINGS = { REPRISE_KEEP_EVENTS: "1s" };

/** A failed run whose events are emptied a second later. The run is then restarted. */
export const aging: Story = async ({ witness, job, withDatabase }) => {
  const specification = serial([job(), job(0, "exit 3")]);
  const run = await witness.createRun("aging", specification, { endsAs: "failed" });
  await witness.start(run);
  await witness.until(run, "failed");
  const isEmptied = () =>
    withDatabase(async (db) => {
      const row = db.selectFrom("runs").select("emptied_at").where("id", "=", run.id);
      return (await row.executeTakeFirstOrThrow()).emptied_at !== null;
    });
  while (!(await isEmptied())) {
    await witness.look(run);
    await delay(100);
  }
  const again = await witness.restart(run, "failed");
  await witness.until(again, "failed");
};

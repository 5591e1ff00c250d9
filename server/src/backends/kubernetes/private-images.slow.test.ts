import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Backend } from "#backends/backend";
import { type Ends, jobOf, watchEnds } from "#backends/backend-fixture";
import { kubernetesProblem } from "#backends/kubernetes/kubernetes-backend";
import { onKubernetes, sharedKubernetes } from "#backends/kubernetes/kubernetes-fixture";
import { giveRights, openOn } from "#backends/kubernetes/opened-fixture";
import { RIGHTS, rightsFor } from "#backends/kubernetes/rights";
import { systemRandom } from "#plumbing/ids";
import type { JobSecrets } from "#workflow/people/secret";

const USER = "ada:pass word";
const SECRETS = "/api/v1/namespaces/default/secrets";

interface Secrets {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly type: string;
    readonly data: Readonly<Record<string, string>>;
  }[];
}

/** Jobs in images of a registry that asks for credentials, on a real Kubernetes whose server has the rights of the guide. */
onKubernetes(() =>
  describe("an image of a private registry on Kubernetes", () => {
    const cluster = sharedKubernetes();
    let folder: string;
    let workspaceFolder: string;
    let host: string;
    let backend: Backend;
    let ends: Ends;

    beforeAll(async () => {
      folder = await mkdtemp(path.join(os.tmpdir(), "reprise-jobs-"));
      workspaceFolder = await mkdtemp(path.join(os.tmpdir(), "reprise-workspace-"));
      host = cluster().startRegistry(USER);
      await giveRights(cluster(), rightsFor({ pullSecrets: true }));
      backend = openOn(cluster(), folder, {
        source: { kubeconfig: cluster().configFor("reprise-token") },
        pullImages: "missing",
        pullTimeoutMs: 4000,
        pullSecrets: true,
      });
      ends = watchEnds(backend);
    });
    afterAll(async () => {
      await backend?.close();
      for (const one of [folder, workspaceFolder]) await rm(one, { recursive: true, force: true });
    });

    const credentials = (user: string, registry = host): JobSecrets => {
      const auths = { [registry]: { auth: Buffer.from(user).toString("base64") } };
      return { environment: {}, files: new Map([["auth.json", Buffer.from(JSON.stringify({ auths }))]]) };
    };
    const submitted = async (script: string, secrets?: JobSecrets, image = `${host}/lab/fit:1`) => {
      const id = systemRandom.uuid();
      const job = jobOf(script, { image });
      const { hostToken } = backend;
      await backend.submit({ id, job, workspaceFolder, hostToken, ...(secrets && { secrets }) });
      return id;
    };
    const run = async (...words: Parameters<typeof submitted>) => ends.of(await submitted(...words));
    /** Returns the Secrets of Pods. Kubernetes has others. */
    const secrets = async () =>
      (await cluster().call<Secrets>("GET", SECRETS)).items.filter(({ type }) => type.includes("docker"));

    test("is pulled with its user's own credentials, which nobody can read after the job", async () => {
      const id = await submitted("until [ -e go ]; do sleep 0.1; done; echo ran", credentials(USER));
      await expect.poll(() => ends.told(id).at(-1)?.status).toBe("running");
      const [secret, ...more] = await secrets();
      expect(more).toEqual([]);
      expect(secret!.metadata.name).toBe(`reprise-${id}`);
      const content = Buffer.from(secret!.data[".dockerconfigjson"]!, "base64").toString();
      expect(JSON.parse(content)).toEqual({
        auths: { [host]: { auth: Buffer.from(USER).toString("base64") } },
      });
      await writeFile(path.join(workspaceFolder, "go"), "");
      expect(await ends.of(id)).toMatchObject({ reason: "exited", exitCode: 0 });
      expect(String(await backend.readLog(id, 0, 100))).toBe("ran\n");
      await expect.poll(secrets).toEqual([]);
    });

    test("is refused to other users by the registry, although a node has the image", async () => {
      for (const others of [undefined, credentials("ada:wrong")]) {
        const end = await run("echo stolen", others);
        expect(end).toMatchObject({ reason: "not-started" });
        expect(end.detail).toMatch(/Kubernetes cannot get the image of the job .*(401|authorization failed)/);
      }
      await expect.poll(secrets).toEqual([]);
      expect(await run("true", credentials(USER))).toMatchObject({ exitCode: 0 });
    });

    test("is refused with advice, if the secret has credentials of another registry", async () => {
      const { detail } = await run("true", credentials(USER, "registry.example.org"));
      expect(detail).toContain(`Your secret auth.json holds no credentials for ${host}`);
    });

    test("that the registry does not have ends the job with the words of the registry", async () => {
      const { detail } = await run("true", credentials(USER), `${host}/lab/absent:1`);
      expect(detail).toMatch(/Kubernetes cannot get the image of the job .*not found/);
    });

    test("leaves no Secret behind, if the job is stopped while it waits", async () => {
      const id = await submitted("true", credentials("ada:wrong"));
      await expect.poll(async () => (await secrets()).length).toBe(1);
      const job = jobOf("true", { image: `${host}/lab/fit:1` });
      await backend.cancel({ id, job, workspaceFolder, hostToken: backend.hostToken });
      await expect.poll(secrets).toEqual([]);
    });

    test("needs rights that doctor names, only if the server gives credentials to Pods", async () => {
      const source = { kubeconfig: cluster().configFor("scheduler-token"), namespace: "elsewhere" };
      expect(await kubernetesProblem(source, { pullSecrets: true })).toContain(
        "create secrets, delete secrets (namespace elsewhere)",
      );
      expect(await kubernetesProblem(source)).not.toContain("secrets");
      expect(RIGHTS.filter(({ resource }) => resource === "secrets")).toEqual([]);
    });
  }),
);

import { execFile } from "node:child_process";
import { chmod, chown, mkdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiClient } from "#backends/kubernetes/api/api-client";
import { connectionOf } from "#backends/kubernetes/api/connection";
import { onKubernetes, sharedKubernetes } from "#backends/kubernetes/kubernetes-fixture";
import { RIGHTS } from "#backends/kubernetes/rights";
import { type PostgresServer, startPostgresServer } from "#store/dialects/postgres-server-suite";
import { maybeHelm } from "../../../tools/chart.ts";
import { environmentOf, packInto } from "../package/packed.ts";
import { ADMIN_TOKEN, client, temporaryFolder } from "../support/real-server.ts";
import { type Installer, installerOf } from "./installers.ts";
import { type Manifest, manifestsWith, pathOf } from "./manifests.ts";

const SERVERS = "/api/v1/namespaces/reprise";
/** The user of the image, to whom the folders of the nodes belong. */
const USER = 1000;

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

interface Pods {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly uid: string };
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  }[];
}

/** Two servers that the chart installs on a real Kubernetes, from an image of the package, with a PostgreSQL outside. */
onKubernetes(() =>
  describe("the chart on a real Kubernetes", () => {
    const cluster = sharedKubernetes();
    let folder: string;
    let remove: () => Promise<void>;
    let database: PostgresServer;
    let installer: Installer;
    let url: string;

    const call = <Answer>(...words: Parameters<ReturnType<typeof cluster>["call"]>) =>
      cluster().call<Answer>(...words);
    const makeNamespace = (name: string) =>
      call("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    const makeSecret = (name: string, stringData: object) =>
      call("POST", `${SERVERS}/secrets`, {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name },
        stringData,
      });
    /** Makes a volume for the own folder of a server. */
    const makeVolume = async (name: string) => {
      const place = path.join(folder, name);
      await ownFolder(place);
      await call("POST", "/api/v1/persistentvolumes", {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: { name },
        spec: {
          accessModes: ["ReadWriteOnce"],
          capacity: { storage: "1Gi" },
          storageClassName: "tried",
          hostPath: { path: place },
        },
      });
    };
    const servers = async () => {
      const selector = "labelSelector=app.kubernetes.io/name=reprise";
      return (await call<Pods>("GET", `${SERVERS}/pods?${selector}`)).items;
    };
    /** Returns the ids of the Pods of the servers that are ready. */
    const ready = async () => {
      const isReady = ({ status }: Pods["items"][number]) =>
        status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") === true;
      return (await servers()).filter(isReady).map(({ metadata }) => metadata.uid);
    };
    const begun = async (step: object) => {
      const document = { workflow: { type: "serial", specification: { steps: [step] } } };
      const { status, body } = await client(url).call("POST", "workflows", JSON.stringify(document));
      expect(status).toBe(201);
      const run = String(body["workflow_id"]);
      return { run, answer: await client(url).setStatus(run, "start") };
    };
    /** Returns what a user may do in a namespace, without the questions about itself that every user may ask. */
    const rulesOf = async (token: string, namespace: string) => {
      const asAdmin = connectionOf({ kubeconfig: cluster().kubeconfig });
      const api = new ApiClient({ connection: { ...asAdmin, credentials: async () => ({ token }) } });
      const kind = "SelfSubjectRulesReview";
      const apiVersion = "authorization.k8s.io/v1";
      const answer = await api.call<{ status: { resourceRules: readonly Rule[] } }>({
        method: "POST",
        path: `/apis/${apiVersion}/selfsubjectrulesreviews`,
        body: { apiVersion, kind, spec: { namespace } },
        does: "asking for rules",
      });
      api.close();
      return answer.status.resourceRules
        .filter(({ resources }) => !resources.every((one) => one.startsWith("selfsubject")))
        .flatMap(({ resources, verbs }) =>
          resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
        )
        .toSorted();
    };

    beforeAll(async () => {
      ({ folder, remove } = await temporaryFolder());
      database = await startPostgresServer();
      const sockets = new URLSearchParams(database.url().split("?")[1]).get("host")!;
      // The servers run as another user than PostgreSQL.
      await chmod(sockets, 0o711);
      await ownFolder(path.join(folder, "shared"));
      const tarball = await packInto(folder);
      const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", tarball];
      await promisify(execFile)("npm", install, { cwd: folder, env: environmentOf(process.execPath) });
      cluster().addServerImage(folder);
      await makeNamespace("reprise");
      await makeSecret("reprise-database", { url: database.url() });
      await makeSecret("reprise-administrator", { token: ADMIN_TOKEN });
      await makeVolume("data-0");
      await makeVolume("data-1");
      const places = { "/PLACE/shared": path.join(folder, "shared"), "/PLACE/database": sockets };
      installer = installerOf(maybeHelm(), cluster(), places);
      url = await cluster().addressOf("reprise", "reprise");
    });
    afterAll(async () => {
      await database?.remove();
      await remove?.();
    });

    test.each(["default", "full"])("the API server accepts every object of the values %s", async (values) => {
      const namespace = `trial-${values}`;
      await makeNamespace(namespace);
      for (const manifest of manifestsWith(values)) {
        const inTrial = inNamespace(manifest, namespace);
        const query = "fieldManager=test&fieldValidation=Strict&dryRun=All";
        await cluster().patch(`${pathOf(inTrial)}?${query}`, inTrial, "apply-patch+yaml");
      }
    });

    test("two servers become ready and run an analysis in the restricted namespace", async () => {
      await installer.install("first");
      await expect.poll(ready).toHaveLength(2);
      const { run } = await begun({
        name: "where",
        commands: ["echo $$REPRISE_NODE $$(id -u) $$(id -g) > where"],
      });
      expect(await client(url).ended(run)).toMatchObject({ status: "finished" });
      expect((await client(url).download(run, "where")).text).toMatch(/^node[12] 1000 1000\n$/);
      const { body } = await client(url).call("GET", "admin/hosts");
      expect(JSON.stringify(body)).toContain("reprise-0");
      expect(JSON.stringify(body)).toContain("reprise-1");
    });

    test("no step runs in the Pod of a server", async () => {
      const { answer } = await begun({ name: "here", compute_backend: "local", commands: ["true"] });
      expect(answer).toMatchObject({ status: 400 });
      expect(JSON.stringify(answer.body)).toContain("is not supported");
    });

    test("the service account has the rights of `rights.ts`, and no more", async () => {
      const account = `${SERVERS}/serviceaccounts/reprise/token`;
      const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
      const { status } = await call<{ status: { token: string } }>("POST", account, request);
      const rights = RIGHTS.map(({ verb, resource }) => `${verb} ${resource}`).toSorted();
      expect(await rulesOf(status.token, "reprise-jobs")).toEqual(rights);
      expect(await rulesOf(status.token, "reprise")).toEqual(["list nodes"]);
    });

    test("an upgrade replaces the servers one after the other, and a job of a run continues", async () => {
      const wait = "until [ -e go ]; do sleep 0.2; done";
      const { run } = await begun({ name: "wait", commands: [`echo ran >> count; ${wait}`] });
      await expect.poll(async () => (await client(url).download(run, "count")).text).toBe("ran\n");
      const before = await ready();
      await installer.install("second");
      await expect.poll(async () => (await ready()).filter((uid) => !before.includes(uid)).length).toBe(2);
      await client(url).upload(run, "go", "");
      expect(await client(url).ended(run)).toMatchObject({ status: "finished" });
      expect((await client(url).download(run, "count")).text).toBe("ran\n");
    });

    test("an uninstallation ends the servers, and keeps the files", async () => {
      await installer.uninstall();
      await expect.poll(servers).toEqual([]);
      const claims = await call<Pods>("GET", "/api/v1/persistentvolumeclaims");
      expect(claims.items.map(({ metadata }) => metadata.name).toSorted()).toEqual([
        "data-reprise-0",
        "data-reprise-1",
        "reprise-shared",
        "reprise-shared",
      ]);
      await expect(call("GET", `${SERVERS}/services/reprise`)).rejects.toThrow("not found");
    });
  }),
);

async function ownFolder(place: string): Promise<void> {
  await mkdir(place);
  await chown(place, USER, USER);
}

/** Moves an object into another namespace. Objects of the cluster stay. */
function inNamespace(manifest: Manifest, namespace: string): Manifest {
  const { metadata } = manifest;
  return metadata.namespace === undefined ? manifest : { ...manifest, metadata: { ...metadata, namespace } };
}

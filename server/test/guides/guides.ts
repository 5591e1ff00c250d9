import { execFile } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { freePort } from "../../src/backends/free-port-fixture.ts";
import { POSTGRES_PASSWORD, startPostgresServer } from "../../src/store/dialects/postgres-server-suite.ts";
import { makeReana } from "../server/reana-fixture.ts";
import { reanaClient } from "./reana-clients.ts";
import { openFakeInvenio } from "../support/fakes/fake-invenio.ts";
import { conformanceEnvironment } from "../support/conformance-environment.ts";
import { ROOT } from "./blocks.ts";
import { bringModules, type Newcomer } from "./desk.ts";
import { CLIENT, startCounterpart } from "../support/sign-in/counterpart.ts";
import { personElsewhere, visitOnce } from "./sign-in-visitors.ts";
import type { Guide } from "./walk.ts";

/** Stand-ins for programs that would change the machine. Each stand-in carries out the harmless part. */
const STAND_INS = path.join(import.meta.dirname, "stand-ins");

type Preparation = Partial<Omit<Guide, "file">>;

/** A guide with the preparation of the reader. */
export interface PreparedGuide extends Guide {
  prepare(reader: Newcomer): Promise<Preparation>;
}

const serverOf = (reader: Newcomer) => ({ "127.0.0.1:7070": `127.0.0.1:${reader.port}` });

const cloning = (reader: Newcomer): Preparation => ({
  values: { ADDRESS: reader.repository, ...serverOf(reader) },
  after: { "git clone ": () => bringModules(path.join(reader.home, "reprise")) },
});

/** A file for kubectl. Nothing answers at its address: the server starts, and jobs would wait. */
const KUBECONFIG = JSON.stringify({
  "current-context": "lab",
  clusters: [{ name: "lab", cluster: { server: "https://127.0.0.1:1" } }],
  users: [{ name: "ada", user: { token: "secret" } }],
  contexts: [{ name: "lab", context: { cluster: "lab", user: "ada" } }],
});

/** The reader has a checkout that is set up, as README.md says. */
async function withCheckout(reader: Newcomer): Promise<Preparation> {
  return { checkout: await reader.clone() };
}

/** The reader has a command `reprise`, and a server that runs. */
async function withServer(reader: Newcomer): Promise<Preparation> {
  await reader.addReprise();
  return { before: ["reprise serve"] };
}

/** The reader has a server, and an account on a stand-in of Zenodo's sandbox. */
async function withDepositServer(reader: Newcomer): Promise<Preparation> {
  const invenio = await openFakeInvenio();
  reader.whenLeaving(() => invenio.close());
  reader.set({ MY_TOKEN: invenio.token, REPRISE_DEPOSIT_PRIVATE_HOSTS: invenio.host });
  return {
    ...(await withServer(reader)),
    values: {
      "--to zenodo-sandbox": `--to ${invenio.url} --secret DEPOSIT_TOKEN`,
      ZENODO_SANDBOX_TOKEN: "DEPOSIT_TOKEN",
      "https://sandbox.zenodo.org": invenio.url,
    },
  };
}

/** The reader has a provider of sign-in, and a person who waits signs in there as soon as the server runs. */
async function withProvider(reader: Newcomer): Promise<Preparation> {
  await reader.addReprise();
  const page = `http://127.0.0.1:${reader.port}`;
  const counterpart = await startCounterpart({ redirectUris: [`${page}/sign-in/physics`] });
  counterpart.people.set("ada", { email: "ada@example.org", email_verified: true });
  await mkdir(path.join(reader.home, "etc"));
  reader.whenLeaving(() => counterpart.close());
  return {
    values: {
      ...serverOf(reader),
      THE_SECRET: CLIENT.secret,
      "/etc/reprise": path.join(reader.home, "etc"),
      "https://auth.example.org/realms/physics": counterpart.issuer,
      "4c4a8a1e-6e2b-4e39-9a36-c8d9e5b7f1a2": "…",
    },
    after: { "reprise serve": () => visitOnce(page, counterpart) },
    during: { "reprise login": personElsewhere(counterpart) },
  };
}

const addAnalysis = (reader: Newcomer) =>
  cp(path.join(ROOT, "examples", "hello"), path.join(reader.home, "my-analysis"), { recursive: true });

export const GUIDES: readonly PreparedGuide[] = [
  {
    file: "README.md",
    staying: ["npm start"],
    leftOut: { "$ npm test": "this is one of its tests; CI runs all of them" },
    async prepare(reader) {
      await reader.addProgram("reana-client", await reanaClient("0.9.6"));
      return cloning(reader);
    },
  },
  {
    file: "docs/guides/first-analysis.md",
    staying: ["reprise serve", "reprise run --watch"],
    leftOut: {
      "on_failure: finish":
        "steps without the rest of their specification; `independent-steps.test.ts` runs such steps",
    },
    async prepare(reader) {
      // The guide turns both off itself.
      reader.set({ REPRISE_SANDBOX: "auto", REPRISE_CONTAINERS: "auto" });
      return cloning(reader);
    },
  },
  { file: "docs/guides/watching-a-run.md", prepare: withServer },
  { file: "docs/guides/tracing-a-result.md", prepare: withServer },
  { file: "docs/guides/proving-a-result.md", prepare: withServer },
  { file: "docs/guides/tour.md", prepare: withServer },
  { file: "docs/guides/reports.md", prepare: withServer },
  { file: "docs/guides/crates.md", prepare: withServer },
  { file: "docs/guides/publishing-a-result.md", prepare: withDepositServer },
  {
    file: "docs/guides/containers.md",
    async prepare(reader) {
      const folder = path.join(reader.home, ".globus");
      await mkdir(folder);
      for (const name of ["usercert.pem", "userkey.pem"]) await writeFile(path.join(folder, name), name);
      return withServer(reader);
    },
  },
  {
    file: "docs/guides/yadage.md",
    leftOut: { "type: yadage": "a specification without its workflow; `conformance/` runs such workflows" },
    prepare: withServer,
  },
  { file: "docs/guides/cwl.md", prepare: withServer },
  {
    file: "docs/guides/dask.md",
    leftOut: {
      "type: serial": "the specification of `examples/dask`, which the guide runs",
      "with Client(": "a part of `examples/dask/code/mean.py`",
      "$ python3 -m venv": "downloads packages; the tests have such an environment",
    },
    async prepare(reader) {
      const dask = await conformanceEnvironment("dask");
      reader.set({ PATH: `${dask}/bin:${reader.environment["PATH"]}` });
      await reader.addReprise();
      const example = path.join("examples", "dask");
      await cp(path.join(ROOT, example), path.join(reader.home, example), { recursive: true });
      return {};
    },
  },
  {
    file: "docs/guides/snakemake.md",
    leftOut: {
      "reprise setup snakemake": "downloads for a minute; `server/test/snakemake` runs such workflows",
      "type: snakemake": "a specification without its workflow; `conformance/` runs such workflows",
    },
    prepare: withServer,
  },
  {
    file: "docs/guides/notebooks.md",
    leftOut: { "reprise notebook fit": "needs JupyterLab; `server/test/notebooks` opens one in a browser" },
    prepare: withServer,
  },
  {
    file: "docs/guides/notifications.md",
    leftOut: {
      "webhook-id:": "a message in short; `server/test/api/users/notifications.test.ts` receives one",
    },
    prepare: withServer,
  },
  { file: "docs/guides/gitlab.md", prepare: withServer },
  {
    file: "docs/guides/sign-in.md",
    staying: ["reprise serve --config reprise.conf"],
    prepare: withProvider,
  },
  {
    file: "docs/guides/remote-inputs.md",
    leftOut: {
      "class: Directory": "two values of a job; `addresses.test.ts` reads such values",
      "destination:": "needs an S3 service; `real-s3.slow.test.ts` publishes to one",
    },
    prepare: withServer,
  },
  { file: "docs/guides/uploads-in-parts.md", prepare: withServer },
  {
    file: "docs/guides/slurm.md",
    staying: ["reprise serve --backends local,slurm"],
    leftOut: {
      "--slurm-host": "needs a login host; `over-ssh.slow.test.ts` has a real sshd",
      "compute_backend: slurm": "needs a cluster; `on-slurm.slow.test.ts` runs such steps",
    },
    async prepare(reader) {
      await reader.addReprise();
      return { values: serverOf(reader) };
    },
  },
  {
    file: "docs/guides/htcondor.md",
    staying: ["reprise serve --backends local,htcondor"],
    leftOut: {
      "compute_backend: htcondorcern": "needs a pool; `on-htcondor.cluster.test.ts` runs such steps",
    },
    async prepare(reader) {
      await reader.addReprise();
      return { values: serverOf(reader) };
    },
  },
  {
    file: "docs/guides/gpus.md",
    async prepare(reader) {
      await reader.addReprise();
      await reader.addProgram("nvidia-smi", path.join(STAND_INS, "nvidia-smi"));
      return {};
    },
  },
  {
    file: "docs/guides/kubernetes.md",
    staying: [
      "reprise serve --backends kubernetes,local --kubernetes-namespace jobs --default-image python:3.12",
    ],
    leftOut: {
      "kueue.x-k8s.io/queue-name": "a part of a file; `pod-parts.test.ts` reads such files",
      "resources: [secrets]": "needs a cluster; `private-images.slow.test.ts` runs with these rights",
      "resources: [workloads]": "needs a cluster; `kueue.slow.test.ts` runs with this right",
      "cvmfs:": "a part of a file; `demands.slow.test.ts` runs with such parts",
      "kind: ClusterRole": "needs a cluster; `on-kubernetes.slow.test.ts` runs with these rights",
      "$ helm install": "needs a cluster with helm; `chart.slow.test.ts` installs the chart on one",
      "compute_backend: kubernetes": "needs a cluster; `on-kubernetes.slow.test.ts` runs such steps",
    },
    async prepare(reader) {
      await reader.addReprise();
      await mkdir(path.join(reader.home, ".kube"));
      await writeFile(path.join(reader.home, ".kube", "config"), KUBECONFIG);
      return { values: serverOf(reader) };
    },
  },
  { file: "docs/guides/add-an-endpoint.md", prepare: withCheckout },
  { file: "docs/guides/add-a-backend.md", prepare: withCheckout },
  { file: "docs/guides/add-an-engine.md", prepare: withCheckout },
  {
    file: "docs/guides/running-a-server.md",
    leftOut: {
      "$ sudo reprise install-service":
        "it changes the machine; the tests of the command read what it writes",
      "$ docker run --detach": "no registry of images can be reached from here",
      "$ docker run --rm": "no registry of images can be reached from here",
      "$ python3 -m venv /opt": "it installs software from PyPI outside the home of the reader",
    },
    prepare: withServer,
  },
  {
    file: "docs/guides/operating-a-server.md",
    leftOut: {
      "POST  /api/quota": "requests in short; `server/test/api/users` sends them",
      "scrape_configs:":
        "settings of Prometheus; `monitoring.slow.test.ts` checks the page with its own tool",
      "0 7 * * *": "lines for cron; `status-report.test.ts` sends such a report",
      "PATH=/usr/local/bin": "lines for cron, with the command of the block before",
    },
    async prepare(reader) {
      await reader.addReprise();
      for (const name of ["sudo", "systemctl", "npm"])
        await reader.addProgram(name, path.join(STAND_INS, name));
      const data = path.join(reader.home, "service");
      reader.set({ SERVICE_DATA: data, REPRISE_DATA: data });
      await promisify(execFile)("reprise", ["user", "add", "ada@example.org"], { env: reader.environment });
      const folders = { "/var/lib/reprise": data, "/backups": path.join(reader.home, "backups") };
      const counts = {
        "12 users, 3410 runs, 81233 files and folders": "…",
        "No more runs are started. 3 runs are still running; 2 queued runs wait for the next start, or for: reprise drain --end":
          "…",
        "2 queued runs": "0 queued runs",
        "214 stored values": "…",
      };
      return { before: [`reprise serve --data ${data}`], values: { ...folders, ...counts } };
    },
  },
  { file: "docs/guides/questions.md", prepare: withServer },
  {
    file: "docs/guides/reverse-proxy.md",
    staying: [
      "reprise serve --public-url https://reprise.example.org --notebook-url https://notebooks.example.org",
    ],
    leftOut: {
      "map $http_upgrade": "`reverse-proxy.slow.test.ts` starts nginx with it",
      "reprise.example.org {": "`reverse-proxy.slow.test.ts` starts Caddy with it",
      "<VirtualHost": "`reverse-proxy.slow.test.ts` starts Apache with it",
    },
    async prepare(reader) {
      await reader.addReprise();
      return { values: serverOf(reader) };
    },
  },
  {
    file: "docs/guides/job-environment.md",
    staying: ["reprise serve --env OMP_NUM_THREADS=4 --env X509_USER_PROXY"],
    async prepare(reader) {
      await reader.addReprise();
      await addAnalysis(reader);
      return { values: serverOf(reader) };
    },
  },
  {
    file: "docs/guides/moving-from-reana.md",
    leftOut: { "listen 443 ssl": "needs nginx, a certificate and REANA's web page" },
    async prepare(reader) {
      await reader.addReprise();
      await reader.addProgram("reana-client", await reanaClient("0.9.6"));
      await cp(path.join(ROOT, "examples", "hello"), path.join(reader.home, "my-analysis"), {
        recursive: true,
      });
      const newer = async () => reader.addProgram("reana-client", await reanaClient("0.95.0a6"));
      return {
        before: ["reprise serve"],
        values: { "https://reprise.example.org": `http://127.0.0.1:${reader.port}`, TOKEN: "one.two.three" },
        after: { "REANA_ACCESS_TOKEN=": newer },
      };
    },
  },
  {
    file: "docs/guides/postgresql.md",
    staying: ["reprise serve"],
    replies: { "Enter password for new role:": "password", "Enter it again:": "password" },
    async prepare(reader) {
      await reader.addReprise();
      const postgres = await startPostgresServer();
      reader.whenLeaving(() => postgres.remove());
      const { folder, user, password } = await administratorOf(postgres.url());
      reader.set({ PGHOST: folder, PGUSER: user, PGPASSWORD: password });
      const address = `@/reprise?host=${encodeURIComponent(folder)}`;
      return { values: { "@db.example.org/reprise?sslmode=verify-full": address, ...serverOf(reader) } };
    },
  },
  {
    file: "docs/guides/several-servers.md",
    async prepare(reader) {
      await reader.addReprise();
      const postgres = await startPostgresServer();
      reader.whenLeaving(() => postgres.remove());
      const [data, shared] = ["reprise", "shared"].map((name) => path.join(reader.home, name));
      const port = String(await freePort());
      return {
        staying: [
          `reprise serve --data ${data}-1 --shared ${shared}`,
          `reprise serve --data ${data}-2 --shared ${shared} --port ${port}`,
        ],
        values: {
          "postgres://reprise:password@db.example.org/reprise?sslmode=verify-full": postgres.url(),
          "/var/lib/reprise": data!,
          "/mnt/reprise": shared!,
          "7071": port,
          ...serverOf(reader),
        },
      };
    },
  },
  {
    file: "docs/guides/import-from-reana.md",
    async prepare(reader) {
      await reader.addReprise();
      const postgres = await startPostgresServer();
      reader.whenLeaving(() => postgres.remove());
      const volume = path.join(reader.home, "volume");
      await mkdir(volume);
      await makeReana(postgres.url(), volume);
      const folders = { "/mnt/reana": volume, "/srv/reprise": path.join(reader.home, "service") };
      return { values: { "postgresql://reana@db.example.org/reana": postgres.url(), ...folders } };
    },
  },
];

/**
 * Creates a further administrator and renames the server's only account, because the guide creates an account
 * with the same name.
 */
async function administratorOf(url: string) {
  const as = async (address: string, ...statements: readonly string[]) => {
    const client = new Client({ connectionString: address });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  const user = "postgres";
  await as(url, `CREATE ROLE ${user} SUPERUSER LOGIN PASSWORD '${POSTGRES_PASSWORD}'`);
  await as(url.replace(/\/\/\w+:/, `//${user}:`), "ALTER ROLE reprise RENAME TO first");
  return { folder: decodeURIComponent(/host=(.*)$/.exec(url)![1]!), user, password: POSTGRES_PASSWORD };
}

import { expect, test } from "vitest";
import { type Container, runWords } from "#backends/containers/run-words";
import type { Runtime } from "#backends/containers/runtime";

const PODMAN: Runtime = {
  name: "podman",
  program: "/usr/bin/podman",
  version: "4.3.1",
  isRootless: false,
  storage: "/var/lib/containers/storage",
  hasInit: true,
};

const CONTAINER: Container = {
  name: "reprise-h-j",
  label: "h/j",
  imageId: "sha256:1",
  command: { script: "echo $HOME" },
  environmentFile: "/data/jobs/j/secrets/container.env",
  pidFile: "/data/jobs/j/container.pid",
  idFile: "/data/jobs/j/container.id",
  binds: [
    { from: "/data/w", at: "/data/w", mode: "write" },
    { from: '/data/a "b", c', at: "/c", mode: "read" },
  ],
  devices: [],
  hookFolders: [],
  user: { uid: 1000, gid: 0 },
  memoryBytes: 2 ** 26,
  cores: 0.5,
  maxProcesses: 100,
  hasNetwork: true,
  workingFolder: "/data/w/in",
  readsInput: false,
  isMerged: true,
};

const words = (runtime: Partial<Runtime> = {}, change: Partial<Container> = {}) =>
  runWords({ ...PODMAN, ...runtime }, { ...CONTAINER, ...change }).join("\n");

test("podman of root", () => {
  expect(words()).toBe(`/usr/bin/podman
run
--rm
--pull=never
--log-driver=none
--no-healthcheck
--init
--name=reprise-h-j
--label=reprise.job=h/j
--network=host
--cap-drop=all
--security-opt=no-new-privileges
--security-opt=label=disable
--user=1000:0
--cap-add=DAC_OVERRIDE
--cap-add=FOWNER
--pidfile=/data/jobs/j/container.pid
--memory=67108864b
--memory-swap=67108864b
--cpus=0.5
--pids-limit=200
--env-file=/data/jobs/j/secrets/container.env
--mount=type=bind,source=/data/w,target=/data/w
--mount=type=bind,"source=/data/a ""b"", c",target=/c,readonly
--workdir=/data/w/in
--entrypoint=bash
sha256:1
-c
exec "$0" -c "$1" 2>&1
bash
echo $HOME`);
});

test("hooks precede the command of podman", () => {
  expect(words({}, { hookFolders: ["/hooks", "/own"] })).toMatch(
    /^\/usr\/bin\/podman\n--hooks-dir=\/hooks\n--hooks-dir=\/own\nrun\n/,
  );
});

test("podman without root has the server's user, and its own limits", () => {
  const rootless = words({ isRootless: true, ids: { users: 65_537, groups: 65_537 } });
  expect(rootless).toContain(
    "--uidmap=0:1:1000\n--uidmap=1000:0:1\n--uidmap=1001:1001:64536\n" +
      "--gidmap=0:0:1\n--gidmap=1:1:65536\n--user=1000:0\n--pidfile=",
  );
  expect(rootless).not.toMatch(/--(cpus|pids-limit|memory|cap-add)/);
});

test.each([
  [{ users: 1, groups: 1 }, "--uidmap=1000:0:1\n--gidmap=0:0:1\n"],
  [{ users: 100, groups: 2 }, "--uidmap=0:1:99\n--uidmap=1000:0:1\n--gidmap=0:0:1\n--gidmap=1:1:1\n"],
])("podman without root has few ids: %j", (ids, maps) => {
  expect(words({ isRootless: true, ids })).toContain(`${maps}--user=1000:0\n`);
});

test("docker limits the memory itself", () => {
  const docker = words({ name: "docker", program: "/usr/bin/docker" });
  expect(docker).toContain(
    "--user=1000:0\n--cidfile=/data/jobs/j/container.id\n--memory=67108864b\n--memory-swap=67108864b\n--cpus=0.5\n--pids-limit=100\n",
  );
  expect(docker).not.toMatch(/--(pidfile|cap-add)/);
});

test("options that a job does not need are left out", () => {
  const change = {
    memoryBytes: undefined,
    cores: undefined,
    maxProcesses: undefined,
    hasNetwork: false,
  } as const;
  const plain = words({ name: "docker", hasInit: false }, change);
  expect(plain).toContain("--network=none\n");
  expect(plain).not.toMatch(/--(init|interactive|memory|cpus|pids-limit)/);
});

test("a program is given to the image's ENTRYPOINT, and input is passed on", () => {
  const program = words({}, { command: { argv: ["fit", "--n", "1"] }, readsInput: true });
  expect(program).toMatch(/\nsha256:1\nfit\n--n\n1$/);
  expect(program).toContain("--interactive\n");
  expect(program).not.toContain("--entrypoint");
});

test.each([
  [{ scriptFile: "/f" }, '--entrypoint=bash\nsha256:1\n-c\nexec "$0" "$1" 2>&1\nbash\n/f'],
  [{ isMerged: false }, "--entrypoint=bash\nsha256:1\n-c\necho $HOME"],
  [{ isMerged: false, scriptFile: "/f" }, "--entrypoint=bash\nsha256:1\n/f"],
])("a script %j", (change, end) => {
  expect(words({}, change).endsWith(`\n${end}`)).toBe(true);
});

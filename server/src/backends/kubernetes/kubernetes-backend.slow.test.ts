import { describe } from "vitest";
import { folderOf, type OpenBackend, removeTree } from "#backends/backend-fixture";
import { backendContract } from "#backends/contract-suite";
import { openKubernetesBackend } from "#backends/kubernetes/kubernetes-backend";
import { onKubernetes, sharedKubernetes, TEST_IMAGE } from "#backends/kubernetes/kubernetes-fixture";
import { systemClock } from "#plumbing/clock";

const log = {
  error(details: object, message: string) {
    throw new Error(message, { cause: details });
  },
};

/** Kubernetes gives these variables to every container, and the image of the tests one more. */
const OWN_VARIABLES = [
  "REPRISE_POD",
  "REPRISE_NODE",
  "NVIDIA_VISIBLE_DEVICES",
  "FROM_IMAGE",
  ..."HOST PORT PORT_443_TCP PORT_443_TCP_ADDR PORT_443_TCP_PORT PORT_443_TCP_PROTO SERVICE_HOST SERVICE_PORT SERVICE_PORT_HTTPS"
    .split(" ")
    .map((name) => `KUBERNETES_${name}`),
];

onKubernetes(() =>
  describe("on a real Kubernetes", () => {
    const cluster = sharedKubernetes();
    const open: OpenBackend = async (folder) => {
      const openIn = (in_: string) =>
        openKubernetesBackend({
          folder: in_,
          hostId: "host",
          clock: systemClock,
          removeTree,
          log,
          maxOutputBytes: 2 ** 20,
          times: { newsMs: 50, listMs: 300, doubtMs: 1000 },
          source: { kubeconfig: cluster().kubeconfig },
          defaultImage: TEST_IMAGE,
          pullImages: "never",
          pullTimeoutMs: 60_000,
        });
      return {
        backend: openIn(folder),
        reopen: async () => openIn(folder),
        openCopy: async (files) => openIn(await folderOf(files)),
        losesOtherTokens: true,
        ownVariables: OWN_VARIABLES,
      };
    };
    backendContract("The Kubernetes backend", open);
  }),
);

import { describe } from "vitest";
import { folderOf, type OpenBackend } from "#backends/backend-fixture";
import { backendContract } from "#backends/contract-suite";
import { onKubernetes, sharedKubernetes } from "#backends/kubernetes/kubernetes-fixture";
import { openOn } from "#backends/kubernetes/opened-fixture";

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
      const openIn = (in_: string) => openOn(cluster(), in_);
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

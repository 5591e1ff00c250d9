import { claimPlace, file, flag, word } from "#config/kinds";
import { setting } from "#config/setting";

/** Settings for jobs on Kubernetes. Part of `SETTINGS`. */
export const KUBERNETES_SETTINGS = {
  kubernetesConfig: setting(file("a file", "file"), {
    option: "--kubernetes-config",
    fallback: () => undefined,
    fallbackText: "`$KUBECONFIG`, the service account of the server's own Pod, or `~/.kube/config`",
    sentence:
      "The file that says how to reach the API server of Kubernetes, as `kubectl` reads it. Its current context counts.",
  }),
  kubernetesNamespace: setting(word("the name of a namespace"), {
    option: "--kubernetes-namespace",
    fallback: () => undefined,
    fallbackText: "the namespace of the context or of the service account",
    sentence: "The namespace in which the Pods of jobs run.",
  }),
  kubernetesClaim: setting(claimPlace(), {
    option: "--kubernetes-claim",
    fallback: () => undefined,
    fallbackText: "none: every node sees the data folder at the same path as the server",
    sentence:
      "The PersistentVolumeClaim that holds the data folder, and the folder where it is mounted here: `reprise-data=/data`. Many nodes must be able to write in it (ReadWriteMany).",
  }),
  kubernetesPod: setting(file("a file", "file"), {
    option: "--kubernetes-pod",
    fallback: () => undefined,
    fallbackText: "none",
    sentence:
      "A file in YAML with parts of the Pod of each job: `labels`, `annotations`, `nodeSelector`, `tolerations`, `imagePullSecrets`, " +
      "`priorityClassName`, `runtimeClassName`, `serviceAccountName`; `cvmfs`, the source of the volume with CVMFS; and `kerberos`, with the `image` " +
      "of kinit and the `configMap` of `krb5.conf`.",
  }),
  kubernetesPullSecrets: setting(flag(), {
    option: "--kubernetes-pull-secrets",
    fallback: () => false,
    sentence:
      "Gives the Pod of a job the registry credentials among its user's secrets (`.dockerconfigjson`, `auth.json`, `config.json`), as a Secret of that Pod. " +
      "The server then needs the rights to create and delete Secrets in the namespace of the Pods.",
  }),
} as const;

/** The parts of a Pod, as the API server describes one, that tell what became of a job. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
    readonly deletionTimestamp?: string | undefined;
  };
  readonly spec?: {
    readonly nodeName?: string | undefined;
    readonly schedulingGates?: readonly { readonly name: string }[] | undefined;
    readonly imagePullSecrets?: readonly { readonly name?: string }[] | undefined;
  };
  readonly status?: {
    readonly phase?: string | undefined;
    readonly reason?: string | undefined;
    readonly message?: string | undefined;
    readonly conditions?: readonly PodCondition[] | undefined;
    readonly initContainerStatuses?: readonly ContainerStatus[] | undefined;
    readonly containerStatuses?: readonly ContainerStatus[] | undefined;
  };
}

export interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: string;
}

/** Why a container has not started. */
export interface Waiting {
  readonly reason?: string | undefined;
  readonly message?: string;
}

interface ContainerStatus {
  readonly name?: string;
  readonly imageID?: string;
  readonly state?: {
    readonly waiting?: Waiting;
    readonly running?: object;
    readonly terminated?: {
      readonly exitCode: number;
      readonly reason?: string | undefined;
      readonly message?: string | undefined;
    };
  };
}

/** The container of the job. A cluster may add others. */
export const CONTAINER = "job";

/** Returns the status of the container of the job. */
export function containerOf(pod: Pod): ContainerStatus | undefined {
  return statusOf(pod, CONTAINER);
}

/** Returns the status of a container. */
export function statusOf({ status }: Pod, container: string): ContainerStatus | undefined {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.find(({ name }) => name === container);
}

/** The label with the token of the folder of records: the Pods of another server have another one. */
export const RECORDS_LABEL = "reprise/records";

/** The annotation with a sentence for a user whose image cannot be pulled. */
export const HINT_ANNOTATION = "reprise/image-hint";

/** Returns whether a Pod has a Secret of its own for its image. */
export function hasPullSecret({ metadata, spec }: Pod): boolean {
  return spec?.imagePullSecrets?.some(({ name }) => name === metadata.name) === true;
}

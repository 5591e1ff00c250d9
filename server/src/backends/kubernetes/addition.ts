/** Parts of a Pod for a demand of its job. */
export interface Addition {
  /** Containers that start before the container of the job. */
  readonly initContainers?: readonly object[];
  /** Further variables of the container of the job. */
  readonly env?: readonly object[];
  /** Further mounts of the container of the job. */
  readonly volumeMounts?: readonly object[];
  readonly volumes?: readonly object[];
}

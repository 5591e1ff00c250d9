import type { JobRequest } from "#backends/backend";
import { notebookPath } from "#notebooks/notebook-path";
import { shellQuote } from "#plumbing/text/shell-quote";
import type { Job } from "#workflow/job/job";
import type { JobSecrets } from "#workflow/people/secret";

/** Name of the socket in the job's HOME on which the notebook server listens. */
export const SOCKET_NAME = "notebook.sock";
/** Environment variable with the secret required by Jupyter in every request. */
const TOKEN_VARIABLE = "JUPYTER_TOKEN";
/** Variable with the path below which Jupyter serves everything. */
const PATH_VARIABLE = "REPRISE_NOTEBOOK_PATH";

export interface NotebookPlace {
  /** Id of the job. */
  readonly id: string;
  readonly runId: string;
  readonly image: string | null;
  readonly hostToken: string;
  readonly workspaceFolder: string;
  /** `jupyter-lab` of this machine, for a notebook without an image. */
  readonly program: string | undefined;
  readonly memoryBytes: number;
  readonly secret: string;
  /** The user's secrets for jobs. */
  readonly secrets: JobSecrets | undefined;
}

/** Returns the request for the job of a notebook. Equal notebooks give equal requests. */
export function notebookRequest(place: NotebookPlace): JobRequest {
  const { id, runId, hostToken, workspaceFolder, secrets, secret } = place;
  return {
    id,
    job: notebookJob(place),
    workspaceFolder,
    hostToken,
    secrets: {
      environment: {
        ...secrets?.environment,
        [TOKEN_VARIABLE]: secret,
        [PATH_VARIABLE]: notebookPath(runId, secret),
      },
      files: secrets?.files ?? new Map(),
    },
  };
}

function notebookJob({ runId, image, program, memoryBytes, workspaceFolder }: NotebookPlace): Job {
  const command = image === null && program !== undefined ? shellQuote(program) : "jupyter lab";
  return {
    key: "notebook",
    name: "notebook",
    node: "notebook",
    command: { script: scriptOf(command) },
    displayCommand: "jupyter lab",
    image,
    ...(image === null && { isHostProgram: true }),
    environment: { REANA_WORKSPACE: workspaceFolder, REANA_WORKFLOW_UUID: runId },
    network: "full",
    resources: { cores: 0, memoryBytes: 0 },
    limits: { memoryBytes },
  };
}

/**
 * The socket has a short relative name, because its address holds only 108 bytes. Jupyter checks neither the name of
 * the host nor the origin: only the server connects to this socket, and it has checked both. The path is in a file,
 * because every user of the machine can read the words of a command.
 */
function scriptOf(command: string): string {
  const options = [
    "--no-browser",
    "--allow-root",
    `--ServerApp.sock=${SOCKET_NAME}`,
    "--ServerApp.sock_mode=0600",
    '--ServerApp.root_dir="$folder"',
    "--ServerApp.allow_remote_access=True",
    "--ServerApp.quit_button=False",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.news_url=None",
  ];
  const configure =
    `mkdir -p config && printf '{"ServerApp":{"base_url":"%s"}}' "$${PATH_VARIABLE}" > config/jupyter_server_config.json && ` +
    'export JUPYTER_CONFIG_PATH="$HOME/config${JUPYTER_CONFIG_PATH:+:$JUPYTER_CONFIG_PATH}"';
  return `folder="$PWD"; cd "$HOME" && rm -f ${SOCKET_NAME} && ${configure} && exec ${command} ${options.join(" ")}`;
}

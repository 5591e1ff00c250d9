import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { maybeHostProgram, programMounts } from "#app/jobs/host-programs";
import type { NotebookOrigin } from "#api/http/endpoint";
import type { NotebookServerOptions } from "#api/notebooks/notebook-server";
import { installedRuntimes } from "#backends/containers/runtime";
import type { HostMount } from "#backends/walls/bubblewrap";
import { maybeProgram } from "#plumbing/files/find-program";
import type { Config } from "#config/settings";
import { messageOf } from "#plumbing/errors";
import type { NotebookSettings } from "#notebooks/notebooks";
import type { NotebooksReport } from "#workflow/reports";

/**
 * Returns the settings for notebooks. Undefined if notebooks are disabled, or if this machine has neither
 * Jupyter nor containers.
 */
export function notebookSettings(config: Config): NotebookSettings | undefined {
  if (config.jupyter === "none") return undefined;
  const allowsImages = installedRuntimes(config.containers).length > 0;
  if (maybeJupyter(config) === undefined && !allowsImages) return undefined;
  const { mostNotebooks: most, notebookMemoryBytes: memoryBytes, notebookIdleMs: idleMs } = config;
  return {
    // Looked for when a notebook needs it: `reprise setup jupyter` may come later.
    get program() {
      return maybeJupyter(config);
    },
    allowsImages,
    most,
    memoryBytes,
    idleMs,
  };
}

/** Returns the path of `jupyter-lab`: from the settings, from `reprise setup`, or from the PATH. */
function maybeJupyter({ jupyter, dataFolder }: Pick<Config, "jupyter" | "dataFolder">): string | undefined {
  return maybeHostProgram("jupyter-lab", { name: "--jupyter", value: jupyter }, dataFolder);
}

/** Describes the notebooks of a server with these settings. */
export function reportNotebooks(config: Config): NotebooksReport {
  const { jupyter, containers } = config;
  const program = jupyter === "none" ? undefined : maybeJupyter(config);
  const allowsImages = installedRuntimes(containers).length > 0;
  return { isOn: jupyter !== "none", allowsImages, ...(program !== undefined && { jupyter: program }) };
}

/** Returns the mounts that show JupyterLab and its Python to jobs. */
export function notebookMounts(config: Pick<Config, "jupyter" | "dataFolder">): HostMount[] {
  return programMounts(maybeJupyter(config), config.dataFolder);
}

/** Returns whether runs may have Dask clusters on this machine: without containers, Dask is in the PATH. */
function mayShowDashboards({ jupyter }: Pick<Config, "jupyter">): boolean {
  const hasDask = ["dask", "dask-scheduler"].some((name) => maybeProgram(name) !== undefined);
  return jupyter !== "none" && hasDask;
}

export interface NotebookListener {
  readonly origin: () => NotebookOrigin;
  listen(mainPort: number): Promise<void>;
  close(): Promise<void>;
}

/** Builds the server of the second origin. Returns undefined if this server opens neither notebooks nor dashboards. */
export async function maybeNotebookListener(
  options: Omit<NotebookServerOptions, "config"> & { readonly config: Config },
): Promise<NotebookListener | undefined> {
  const { operations, config, log } = options;
  if (!operations.notebooks.settings && !mayShowDashboards(config)) return undefined;
  // Imported lazily: a server without notebooks starts faster.
  const { buildNotebookServer } = await import("#api/notebooks/notebook-server");
  const server = buildNotebookServer(options);
  // The HTTP server cannot close a connection that was upgraded to a WebSocket.
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return {
    origin: () => ({ port: (server.address() as AddressInfo | null)?.port ?? 0, url: config.notebookUrl }),
    async listen(mainPort) {
      const { host, notebookPort } = config;
      if (notebookPort !== undefined || config.port === 0) return listen(server, host, notebookPort ?? 0);
      // A stable port, so that open pages find the server again.
      await listen(server, host, mainPort + 1).catch(async (error: unknown) => {
        log.warn({ err: error }, "The port after --port is in use; the notebooks have another one.");
        await listen(server, host, 0);
      });
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const problem = `The notebooks cannot use port ${port}: ${messageOf(error)}. Set --notebook-port.`;
    throw new Error(problem, { cause: error });
  }
}

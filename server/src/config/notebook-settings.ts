import { period, program, size, webAddress, wholeNumber } from "#config/kinds";
import { setting } from "#config/setting";
import { DAY_MS } from "#plumbing/clock";

/** Settings for notebooks on the files of runs. Part of `SETTINGS`. */
export const NOTEBOOK_SETTINGS = {
  jupyter: setting(program(), {
    option: "--jupyter",
    fallback: () => undefined,
    fallbackText: "the first `jupyter-lab` in the PATH of the server",
    sentence: "The JupyterLab that serves notebooks beside runs, or `none`.",
  }),
  notebookPort: setting(wholeNumber(0, 65_535), {
    option: "--notebook-port",
    fallback: () => undefined,
    fallbackText: "the port after `--port`",
    sentence:
      "The port of the notebooks. They have an origin of their own, because what a notebook shows is its user's code.",
  }),
  notebookUrl: setting(webAddress(), {
    option: "--notebook-url",
    fallback: () => undefined,
    fallbackText: "the host of the request, with `--notebook-port`",
    sentence:
      "The address at which browsers reach `--notebook-port` through a proxy: `https://notebooks.example.org`.",
  }),
  notebookIdleMs: setting(period(), {
    option: "--notebook-idle",
    fallback: () => 7 * DAY_MS,
    sentence: "The time without a request after which a notebook is closed.",
  }),
  notebookMemoryBytes: setting(size(2 ** 26, 2 ** 50), {
    option: "--notebook-memory",
    fallback: () => 4 * 2 ** 30,
    sentence: "The memory that a notebook and its kernels may use.",
  }),
  mostNotebooks: setting(wholeNumber(1, 10_000), {
    option: "--max-notebooks",
    fallback: () => 20,
    sentence: "The maximum number of open notebooks on this host.",
  }),
};

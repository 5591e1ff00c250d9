import { duration, hostList, size, webAddress, wholeNumber } from "#config/kinds";
import { setting } from "#config/setting";

/** The settings of Git repositories and documents that are read from addresses: a part of `SETTINGS`. */
export const GIT_SETTINGS = {
  gitHttpHosts: setting(hostList(), {
    option: "--git-http-hosts",
    fallback: () => [],
    sentence: "Hosts whose Git repositories and documents may be read over plain HTTP as well as HTTPS.",
  }),
  gitPrivateHosts: setting(hostList(), {
    option: "--git-private-hosts",
    fallback: () => [],
    sentence:
      "Hosts whose Git repositories and documents may be read even if their address is private or loopback.",
  }),
  gitMaxBytes: setting(size(1024, 2 ** 40), {
    option: "--git-max-size",
    fallback: () => 256 * 2 ** 20,
    sentence: "The largest Git repository, on disk, from which a workflow can be created.",
  }),
  gitMaxFiles: setting(wholeNumber(1, 10_000_000), {
    option: "--git-max-files",
    fallback: () => 10_000,
    sentence: "The maximum number of files in a workflow created from a Git repository.",
  }),
  gitlab: setting(webAddress(), {
    option: "--gitlab",
    fallback: () => undefined,
    sentence:
      "The GitLab whose pushes and merge requests may create runs, such as `https://gitlab.example.org`.",
  }),
  gitTimeoutMs: setting(duration(100, 600_000), {
    option: "--git-timeout",
    fallback: () => 8000,
    sentence: "The time limit for reading a Git repository.",
  }),
};

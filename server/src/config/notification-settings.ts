import { hostList } from "#config/kinds";
import { setting } from "#config/setting";

/** The settings of messages about runs: a part of `SETTINGS`. */
export const NOTIFICATION_SETTINGS = {
  webhookPrivateHosts: setting(hostList(), {
    option: "--webhook-private-hosts",
    fallback: () => [],
    fallbackText: "none",
    sentence:
      "Hosts whose webhooks may be called over plain HTTP, and even if their address is private or loopback.",
  }),
};

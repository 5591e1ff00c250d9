import { choice, emailAddress, hostList, mailServer } from "#config/kinds";
import { setting } from "#config/setting";

/** The settings of messages about runs: a part of `SETTINGS`. */
export const NOTIFICATION_SETTINGS = {
  webhookPrivateHosts: setting(hostList(), {
    option: "--webhook-private-hosts",
    fallback: () => [],
    sentence:
      "Hosts whose webhooks may be called over plain HTTP, and even if their address is private or loopback.",
  }),
  mailServer: setting(mailServer(), {
    variable: "REPRISE_MAIL_SERVER",
    fallback: () => undefined,
    fallbackText: "none: no e-mail is sent",
    sentence:
      "The SMTP server that sends messages about runs to their users. It has no option, because it may contain a password.",
  }),
  mailFrom: setting(emailAddress(), {
    option: "--mail-from",
    fallback: () => undefined,
    fallbackText: "the administrator's address",
    sentence: "The sender of messages about runs.",
  }),
  mailReport: setting(choice("never", "daily", "weekly"), {
    option: "--mail-report",
    fallback: () => "never" as const,
    sentence:
      "When the server sends its status report to the administrators: after each midnight (UTC), or after the midnight before Monday.",
  }),
};

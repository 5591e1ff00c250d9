import { type CommandGroup, JSON_OPTION, option, plainCommand, serverCommand } from "#cli/command";

const TOKEN_LIMITS = [
  option(
    "--scope <read|runs|everything>",
    "what the token allows: reading; also creating, starting, stopping and deleting runs; everything that you may do (default)",
  ),
  option("--days <number>", "the number of days after which it expires (default: it never does)"),
];

/** The commands for users and their belongings. */
export const USER_COMMANDS: CommandGroup = {
  heading: "Users:",
  commands: [
    {
      usage: "user",
      summary: "Add, list, disable and delete users; tokens",
      description: "Add, list, disable and delete users, and give them tokens.",
      commands: [
        serverCommand({
          usage: "add <e-mail>",
          description: "Add a user and print the user's token.",
          options: [option("--token-stdin", "read the token from standard input instead of creating one")],
          load: async () => (await import("#cli/users/user")).addUser,
        }),
        serverCommand({
          usage: "invite <e-mail>",
          description:
            "Invite a user, new or known, and print an address that signs a browser in once, within a week. " +
            "You do not see a token of the user.",
          load: async () => (await import("#cli/users/invite")).invite,
        }),
        serverCommand({
          usage: "list",
          description:
            "List the users. A user whose state is waiting signed in by a provider and needs your consent.",
          load: async () => (await import("#cli/users/user")).listUsers,
        }),
        serverCommand({
          usage: "token <user>",
          description: "Create a new token for a user (an e-mail address or an id) and print it.",
          options: [option("--revoke-old", "revoke the user's other tokens")],
          load: async () => (await import("#cli/users/user")).issueToken,
        }),
        serverCommand({
          usage: "tokens <user>",
          description: "List the tokens and signed-in browsers of a user, without the tokens themselves.",
          load: async () => (await import("#cli/users/tokens")).listTokensOf,
        }),
        serverCommand({
          usage: "revoke <user> <ids...>",
          description: "Revoke single tokens of a user, or sign browsers out, by their ids.",
          load: async () => (await import("#cli/users/tokens")).revokeTokensOf,
        }),
        serverCommand({
          usage: "disable <user>",
          description:
            "Lock a user out: the tokens are no longer accepted. Runs and files are kept. Asks first at a terminal.",
          options: [option("-y, --yes", "do not ask")],
          load: async () => (await import("#cli/users/user")).disableUser,
        }),
        serverCommand({
          usage: "enable <user>",
          description:
            "Enable a disabled user again, with the same tokens, or admit a user who waits for your consent.",
          load: async () => (await import("#cli/users/user")).enableUser,
        }),
        serverCommand({
          usage: "provider <user>",
          description:
            "Agree that a provider of sign-in opens the account of a user. `reprise user list` shows which provider asks. " +
            "The person there has proven the address of the account.",
          options: [option("--refuse", "refuse it: the account stays as it is")],
          load: async () => (await import("#cli/users/user")).answerProvider,
        }),
        serverCommand({
          usage: "export",
          description: "Print all users as CSV, for `reprise user import` on another server.",
          options: [option("--tokens", "with a token of each user: keep the output secret")],
          load: async () => (await import("#cli/users/user-table")).exportUsers,
        }),
        serverCommand({
          usage: "import <file>",
          description:
            "Add the users of a CSV file; users who exist already stay as they are. The file has the column email and optionally " +
            "token, admin and disabled, or is the output of `reana-admin user-export`. For a user without a token, a new token " +
            "is made and printed. Safe to repeat.",
          options: [option("--dry-run", "only say who would be added")],
          load: async () => (await import("#cli/users/user-table")).importUsers,
        }),
        serverCommand({
          usage: "admin <user>",
          description:
            "Make a user an administrator. The other administrators stay. The last administrator cannot be revoked.",
          options: [option("--revoke", "make an administrator an ordinary user again")],
          load: async () => (await import("#cli/users/user")).changeAdmin,
        }),
        serverCommand({
          usage: "delete <user>",
          description:
            "Delete a user: tokens, sessions, shares, memberships in groups, secrets and notifications end at once, and open " +
            "notebooks are closed. Groups that the user maintained go to the oldest administrator. Runs and files are kept, " +
            "and come back with the user if the address is added again. Asks first at a terminal.",
          options: [
            option("--with-data", "also delete all runs with their files, which cannot be undone"),
            option("--stop", "stop the user's queued and running runs (default: refuse while there are any)"),
            option("-y, --yes", "do not ask"),
          ],
          load: async () => (await import("#cli/users/user")).deleteUser,
        }),
      ],
    },
    {
      usage: "token",
      summary: "Create, list and revoke your tokens",
      description: "Create, list and revoke your tokens, and sign browsers out.",
      commands: [
        serverCommand({
          usage: "create <name>",
          description: "Create a token for a notebook, a program or another machine, and print it.",
          options: TOKEN_LIMITS,
          load: async () => (await import("#cli/users/tokens")).createToken,
        }),
        serverCommand({
          usage: "list",
          description: "List your tokens and signed-in browsers, without the tokens themselves.",
          load: async () => (await import("#cli/users/tokens")).listTokens,
        }),
        serverCommand({
          usage: "revoke <tokens...>",
          description: "Revoke tokens or sign browsers out, by their names or ids.",
          load: async () => (await import("#cli/users/tokens")).revokeTokens,
        }),
      ],
    },
    {
      usage: "secrets",
      summary: "Manage passwords and keys for your jobs",
      description: "Manage passwords and keys for the jobs of all your runs.",
      commands: [
        serverCommand({
          usage: "list",
          description: "List the names of your secrets.",
          load: async () => (await import("#cli/users/secrets")).listSecrets,
        }),
        serverCommand({
          usage: "add [name]",
          description: "Add a variable, whose value is read from standard input, or a file with --file.",
          options: [
            option(
              "--file <file>",
              "a file that jobs find in the folder REANA_SECRETS_DIR, under [name] or its own name",
            ),
            option("--overwrite", "replace a secret of the same name"),
          ],
          load: async () => (await import("#cli/users/secrets")).addSecret,
        }),
        serverCommand({
          usage: "delete <names...>",
          description: "Delete secrets. Asks first at a terminal.",
          options: [option("-y, --yes", "do not ask")],
          load: async () => (await import("#cli/users/secrets")).deleteSecrets,
        }),
      ],
    },
    {
      usage: "notify",
      summary: "Send a message when your runs end",
      description: "Send signed messages to webhooks, or e-mail to yourself, when your runs end or start.",
      commands: [
        serverCommand({
          usage: "list",
          description: "List your notifications, and whether their messages were delivered.",
          load: async () => (await import("#cli/users/notifications")).listNotifications,
        }),
        serverCommand({
          usage: "add <address>",
          description:
            "Send a message to a webhook (an https address) or to yourself (your e-mail address) when runs of yours end. " +
            "The key of a webhook's signatures is printed.",
          options: [
            option("-w, --workflow <workflow>", "only this run (default: all of them)"),
            option(
              "--on <statuses>",
              "some of queued, running, finished, failed and stopped, with commas between them (default: the last three)",
            ),
          ],
          load: async () => (await import("#cli/users/notifications")).addNotification,
        }),
        serverCommand({
          usage: "test <id>",
          description: "Send a test message.",
          load: async () => (await import("#cli/users/notifications")).testNotification,
        }),
        plainCommand({
          usage: "sample",
          description: "Print a signed message as a webhook receives it, and send nothing. Needs no server.",
          options: [
            option("--on <status>", "the status that the message reports (default: failed)"),
            JSON_OPTION,
          ],
          load: async () => (await import("#cli/users/notifications")).sampleNotification,
        }),
        serverCommand({
          usage: "remove <ids...>",
          description: "Remove notifications. Messages that wait are not sent.",
          load: async () => (await import("#cli/users/notifications")).removeNotifications,
        }),
      ],
    },
    serverCommand({
      usage: "login",
      summary: "Sign a browser in, or get a token by a provider",
      description:
        "Print an address that signs a browser in to the web page: once, within ten minutes. Without a token for the named " +
        "server, or with --provider: print a code to enter at a provider of sign-in with a browser on any machine, wait, and " +
        "print an access token, valid for 30 days.",
      options: [
        option("--provider <name>", "sign in by this provider (default: the only one of the server)"),
        option("--save <file>", "write the token into a file that only you can read, and do not print it"),
      ],
      load: async () => (await import("#cli/users/login")).login,
    }),
    serverCommand({
      usage: "env [workflow]",
      summary: "Print the variables that reana-client needs",
      description: 'Print the variables that reana-client needs to use the server: eval "$(reprise env)".',
      options: [option("--client <generation>", "the generation of reana-client: 0.9 (the default) or 0.95")],
      load: async () => (await import("#cli/users/env")).env,
    }),
  ],
};

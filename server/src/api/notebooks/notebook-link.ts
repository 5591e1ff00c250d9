import type { FastifyInstance, FastifyRequest } from "fastify";
import { HIDDEN_TOKEN } from "#api/http/access/credentials";
import { opensNotebooks } from "#api/http/access/scope";
import type { ApiContext } from "#api/http/endpoint";
import { sendError } from "#api/http/reply/error-replies";
import { notebookUrl } from "#api/notebooks/notebook-url";
import { signIn } from "#operations/users/sign-in";
import { isSame } from "#plumbing/secrets/is-same";

/**
 * The address that REANA's clients print: the path of a notebook, with a token. It is not an endpoint,
 * because a browser opens it.
 */
export const NOTEBOOK_LINK = "/:run([0-9a-f]{8}-[0-9a-f-]{27})";

/**
 * Sends a browser on to the notebook. Older clients of REANA put the user's access token into the address, newer ones
 * the secret of the notebook. The token goes no further than this server.
 */
export function addNotebookLink(app: FastifyInstance, context: ApiContext): void {
  app.get(NOTEBOOK_LINK, async (request, reply) => {
    const { run } = request.params as { run: string };
    const notebook = await context.notebooks.maybeOf(run);
    const secret = notebook && context.notebooks.secretOf(notebook);
    const isAllowed = notebook && secret && (await mayOpen(context, tokenIn(request), notebook, secret));
    if (!isAllowed) return sendError(reply, { status: 404, message: notOpen(run, tokenIn(request)) });
    return reply
      .header("cache-control", "no-store")
      .header("referrer-policy", "no-referrer")
      .redirect(notebookUrl(context, request, `/${run}`, secret), 302);
  });
}

function notOpen(run: string, token: string): string {
  return token === HIDDEN_TOKEN
    ? `REANA's web page has no token that opens the interactive session at ${run}. Open it on the page of this server.`
    : `No interactive session is open at ${run} for the token of this address. Open it again.`;
}

function tokenIn({ query }: FastifyRequest): string {
  const { token } = query as Record<string, string | string[] | undefined>;
  return [token].flat()[0] ?? "";
}

async function mayOpen(
  context: ApiContext,
  token: string,
  { ownerId }: { readonly ownerId: string },
  secret: string,
): Promise<boolean> {
  if (isSame(token, secret)) return true;
  const signedIn = await signIn(context, { kind: "token", secret: token });
  if (typeof signedIn === "string") return false;
  return signedIn.caller.id === ownerId && opensNotebooks(signedIn.scope);
}

import type { FastifyInstance } from "fastify";

/**
 * The badge that a README shows with a link to the launch page, as in REANA. The badge is not an endpoint,
 * because it is the same for all readers and needs no credentials.
 */
export const LAUNCHER_BADGE = "/launcher-badge";

const BADGE = `<svg xmlns="http://www.w3.org/2000/svg" width="128" height="20" role="img" aria-label="launch with Reprise">
<title>launch with Reprise</title>
<rect width="128" height="20" rx="3" fill="#3f3f46"/>
<path d="M74 0h51a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H74z" fill="#0f766e"/>
<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
<text x="37" y="14">launch with</text>
<text x="101" y="14">Reprise</text>
</g>
</svg>
`;

/** Serves the badge without the header that keeps files to this site, because other sites show the badge. */
export function addLauncherBadge(app: FastifyInstance): void {
  app.get(LAUNCHER_BADGE, (_request, reply) =>
    reply
      .type("image/svg+xml")
      .header("cache-control", "public, max-age=86400")
      .header("content-security-policy", "default-src 'none'")
      .header("cross-origin-resource-policy", "cross-origin")
      .header("x-content-type-options", "nosniff")
      .send(BADGE),
  );
}

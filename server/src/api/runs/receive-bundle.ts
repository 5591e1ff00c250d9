import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { ReceiveBundle } from "#operations/runs/create/create-run-from-bundle";
import { Refusal } from "#plumbing/errors";

/** Receives the part `bundle` of a form. The result is kept only if the whole form has arrived. */
export function receiveBundle(headers: IncomingHttpHeaders, body: Readable): ReceiveBundle {
  return async (work) => {
    // Loaded with the first bundle.
    const { readForm } = await import("#api/http/request/read-form");
    const results: Awaited<ReturnType<typeof work>>[] = [];
    await readForm(headers, body, {
      bundle: async (content) => {
        results.push(await work(content));
      },
    });
    for (const result of results) return result;
    throw new Refusal(
      "malformed",
      "The form holds no bundle: send a zip with reana.yaml as the part bundle.",
    );
  };
}

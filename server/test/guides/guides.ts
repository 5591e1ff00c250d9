import path from "node:path";
import { reanaClient } from "../support/reana-clients.ts";
import { bringModules, type Newcomer } from "./desk.ts";
import type { Guide } from "./walk.ts";

/** A guide, and what its reader has beforehand. */
export interface PreparedGuide extends Guide {
  prepare(reader: Newcomer): Promise<Pick<Guide, "values" | "after">>;
}

const checkoutOf = (reader: Newcomer) => path.join(reader.home, "reprise");
const clones = (reader: Newcomer): Pick<Guide, "values" | "after"> => ({
  values: { ADDRESS: reader.repository, "127.0.0.1:7070": `127.0.0.1:${reader.port}` },
  after: { "git clone ": () => bringModules(checkoutOf(reader)) },
});

export const GUIDES: readonly PreparedGuide[] = [
  {
    file: "README.md",
    staying: ["npm start"],
    leftOut: { "$ npm test": "this is one of its tests; CI runs all of them" },
    async prepare(reader) {
      await reader.addProgram("reana-client", await reanaClient("0.9.6"));
      return clones(reader);
    },
  },
  {
    file: "docs/guides/first-analysis.md",
    staying: ["reprise serve", "reprise run --watch"],
    prepare: async (reader) => clones(reader),
  },
];

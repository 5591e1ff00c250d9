import path from "node:path";
import { conformanceEnvironment } from "../support/conformance-environment.ts";

/** Returns the path of a real `reana-client`. */
export async function reanaClient(version: "0.9.6" | "0.95.0a6"): Promise<string> {
  return path.join(await conformanceEnvironment(version), "bin", "reana-client");
}

// Preloaded by `--import`: counts the files that this process loads as modules. Writes the number to the file that
// MODULES_LOADED_FILE names when the process ends.
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";

let count = 0;
registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith("file:")) count += 1;
    return nextLoad(url, context);
  },
});
process.on("exit", () => writeFileSync(process.env.MODULES_LOADED_FILE, String(count)));

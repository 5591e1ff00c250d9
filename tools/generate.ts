import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { generatedFiles } from "./generated-files.ts";
import { ROOT } from "./project.ts";
import { writeSdkTypes } from "./sdk-types.ts";

/** `npm run generate`: writes all generated files. */
for (const [file, content] of await generatedFiles()) {
  const target = path.join(ROOT, file);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, content);
  console.log(file);
}
await writeSdkTypes();

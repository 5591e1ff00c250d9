import { once } from "node:events";
import { openLineWriter } from "#plumbing/files/line-writer";

/**
 * Writes lines to a file under a limit of its size, waits for the end of its input, and writes more, for
 * line-writer.test.ts. Prints what was reported, as JSON.
 */
const file = process.argv[2]!;
const reports: string[] = [];
const writer = openLineWriter(file, (sentence) => void reports.push(sentence));
for (let count = 0; count < 2; count += 1) {
  writer.write(`${"x".repeat(3000)}\n`);
  writer.flush();
}
process.stdout.write(`${JSON.stringify(reports)}\n`);
await once(process.stdin.resume(), "end");
writer.write("after the loss\n");
writer.flush();
writer.write("and later\n");
await writer.close();

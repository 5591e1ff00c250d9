import http from "node:http";

/** Follows each of these addresses so many times, in a process of its own; says `following` when all are answered. */
const [count, ...urls] = process.argv.slice(2);
const asked = urls.flatMap((url) => Array.from({ length: Number(count) }, () => url));
let answered = 0;
for (const url of asked) {
  http.get(url, { agent: false }, (response) => {
    if (response.statusCode !== 200) throw new Error(`${url} was answered with ${response.statusCode}.`);
    response.on("error", () => undefined).resume();
    answered += 1;
    if (answered === asked.length) console.log("following");
  });
}

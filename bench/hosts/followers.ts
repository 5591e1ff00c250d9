import http from "node:http";

/** Follows each of these URLs `count` times, in a separate process. Prints `following` when all have responded. */
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

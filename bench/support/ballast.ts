/** Preloaded into a server, simulates the size of a long-running server: 300 MB of touched memory. */
const GROWN_BYTES = 300 * 2 ** 20;
const CHUNK_BYTES = 2 ** 20;

const ballast: Buffer[] = [];
while (process.memoryUsage.rss() < GROWN_BYTES) ballast.push(Buffer.alloc(CHUNK_BYTES, 1));
Object.assign(globalThis, { ballast });

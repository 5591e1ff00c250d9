// Flags of the Node that runs a command from source (`tools/run.js`), and of the servers of tests and benchmarks. The
// first line of `server/bin/reprise.js` repeats them for the published package.
export const SERVER_FLAGS = [
  // Two threads beside the main one for V8's own work instead of four: uploads are no slower. With one, a server takes
  // 20 MB more during a large upload. An idle server takes 135 MB with one, two or four.
  "--v8-pool-size=2",
  // A young generation of 4 MiB instead of 16 MiB makes an idle server 21 MB smaller (measured: 135 MB instead of 156).
  "--max-semi-space-size=4",
  // Chunks of an upload are outside V8's heap, but they count towards its limit: with a larger initial heap, it is
  // collected 46 times instead of 76 during 3 GiB (measured). An idle server is 5 MB larger by that.
  "--initial-old-space-size=256",
];

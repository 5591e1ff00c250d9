// Flags of the Node that runs the server; the first line of `server/bin/reprise.js` repeats them.
export const SERVER_FLAGS = [
  // Two threads beside the main one for V8's own work instead of four: an idle server is 4 MB smaller (measured: 140 MB
  // instead of 144), and uploads are no slower. With one it is 136 MB, and 20 MB more during a large upload.
  "--v8-pool-size=2",
  // A young generation of 4 MiB instead of 16 MiB makes an idle server 16 MB smaller (measured: 132 MB instead of 148).
  "--max-semi-space-size=4",
  // Chunks of an upload are outside V8's heap, but they count towards its limit: with a larger initial heap, it is
  // collected 46 times instead of 76 during 3 GiB (measured), and an idle server is no larger.
  "--initial-old-space-size=256",
];

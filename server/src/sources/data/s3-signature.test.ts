import { expect, test } from "vitest";
import { encodedKey, signedHeaders } from "#sources/data/s3-signature";

const AT = new Date("2026-11-27T18:00:00Z");

/** Signatures made by botocore for the same requests. */
test.each([
  ["plain.csv", undefined, "b483e6711c03166c58a4cb519cdf5132378d2d90f5c607f226d238adc5e714b7"],
  ["plain.csv", "TOKEN", "e7a09a8c98868bdb31c4d84dc103a43fd4095e7a53467a01f1c3fcf34d2bfe1c"],
  ["dir/ü b+c.txt", undefined, "d8a0d2da699f95f0b3f2bbcf4a43121927ed0c94cabe5480ed55a148c20c232c"],
  ["dir/ü b+c.txt", "TOKEN", "e4dcef7eb451470dc6c7fb62401e33343d29fa2aef61b1f279dfda3838a8a246"],
  ["a/../x", undefined, "9b05e88f5bd1ac88b67b21580d7e52de1446c871950da1dca5bcf102c811c253"],
  ["a/../x", "TOKEN", "d87c5898f4c7ffb586a1f0659e37b6f91e2f43e29b9ab257f481b5222a43dea7"],
  ["blank  two.txt", undefined, "c5046eb45a239de04e44a466390c66759e48185cb0d10040d53afaa50d846b3b"],
  ["blank  two.txt", "TOKEN", "c8527642d3d507907cf4308be879f6be3d354b75f7bd092dc9e1bfc89d385df4"],
  ["p'(1)!*.txt", undefined, "db6e6fbd4a65ad68c64a447bd9639f7ed70ef372efa0c2425e362b2b24ef7e07"],
  ["p'(1)!*.txt", "TOKEN", "7db39b52d47a4d8d3c8d510cad61fe8e705194feb484282e11a4e7d95ebc748e"],
  ["q?x=1&y#z%25.txt", undefined, "055ddb80d325740d83d13082313d26f124d29a3e75f466d5b64441c2ef20fa5c"],
  ["q?x=1&y#z%25.txt", "TOKEN", "6360a1e48fac32539bb50c348a9d76c58d0553993490b12d236223f3b514942c"],
  ["~tilde/日本.root", undefined, "d464be638af9d6bae3380cfd55674e2941551e2bdeebb24cab1c856902f6ce4e"],
  ["~tilde/日本.root", "TOKEN", "5c550d7108be6a1d7dd2804a25e433444c6ebfdfb51de7b4af1da66c3b72ec40"],
])(
  "a request for the key %j with the session token %s is signed as by botocore",
  (key, sessionToken, signature) => {
    const signed = signedHeaders(
      {
        method: "GET",
        host: "s3.example.org:9000",
        path: `/bucket/${encodedKey(key)}`,
        query: [],
        headers: { "x-amz-checksum-mode": "ENABLED" },
      },
      {
        accessKey: "AKIDEXAMPLE",
        secretKey: "SECRET/with+chars",
        ...(sessionToken !== undefined && { sessionToken }),
      },
      { region: "eu-west-1", at: AT },
    );
    expect(signed["authorization"]).toContain(`Signature=${signature}`);
  },
);

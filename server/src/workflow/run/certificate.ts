/** Names of the files of a certificate. The first three are listed in the checksums, which are signed. */
export const CERTIFICATE_FILES = {
  codecheck: "codecheck.yml",
  report: "report.md",
  record: "verification.json",
  sums: "SHA256SUMS",
  signature: "SHA256SUMS.sig",
  key: "public-key.pem",
} as const;

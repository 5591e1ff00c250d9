import { expect, test } from "vitest";
import { storesIn } from "#reana/import-secrets";

const ADA = "00000abc-0000-4000-8000-000000000001";

/** The form in which `kubectl get secrets --output yaml` prints the secrets of REANA's users. */
const LISTED = `apiVersion: v1
items:
- apiVersion: v1
  data:
    CERN_USER: YWRh
    .keytab: AAEC
  kind: Secret
  metadata:
    annotations:
      secrets_types: '{"CERN_USER": "env", ".keytab": "file"}'
    name: reana-secretsstore-${ADA}
    namespace: default
  type: Opaque
- apiVersion: v1
  data:
    REANA_SECRET_KEY: aHlwZXI=
  kind: Secret
  metadata:
    name: reana-secrets
- apiVersion: v1
  kind: Secret
  metadata:
    name: reana-secretsstore-00000abc-0000-4000-8000-000000000002
kind: List
`;

const STORE = {
  userId: ADA,
  secrets: [
    { name: "CERN_USER", type: "env", value: "YWRh" },
    { name: ".keytab", type: "file", value: "AAEC" },
  ],
};

test("finds the secrets of users, and none of the cluster", () => {
  expect(storesIn(LISTED)).toEqual([STORE, { userId: "00000abc-0000-4000-8000-000000000002", secrets: [] }]);
});

test("reads a secret in JSON", () => {
  const metadata = {
    name: `cern-secretsstore-${ADA}`,
    annotations: { secrets_types: '{"CERN_USER":"env",".keytab":"file"}' },
  };
  const text = JSON.stringify({ kind: "Secret", data: { CERN_USER: "YWRh", ".keytab": "AAEC" }, metadata });
  expect(storesIn(text)).toEqual([STORE]);
});

test("refuses a text that is neither YAML nor JSON", () => {
  expect(() => storesIn("a: [")).toThrow("The file of secrets");
  expect(storesIn("")).toEqual([]);
});

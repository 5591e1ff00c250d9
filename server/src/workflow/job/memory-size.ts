const FACTORS: Readonly<Record<string, number>> = {
  "": 1,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/**
 * Parses an amount of memory in the spelling of Kubernetes and REANA: `256Mi`, `1.5G`, `1000000`. Returns
 * undefined for any other text.
 */
export function maybeMemoryBytes(text: unknown): number | undefined {
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?)([EPTGMK]i?)?$/.exec(String(text)) ?? [];
  return number === undefined ? undefined : Math.ceil(Number(number) * FACTORS[unit]!);
}

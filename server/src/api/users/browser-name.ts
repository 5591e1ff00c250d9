const BROWSERS = [
  ["Edg/", "Edge"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
] as const;
const SYSTEMS = [
  ["Android", "Android"],
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Mac OS X", "macOS"],
  ["Windows", "Windows"],
  ["Linux", "Linux"],
] as const;

/** Returns a name such as `Firefox on Linux` for the list of sessions. Nothing of the header itself is kept. */
export function browserName(userAgent = ""): string {
  const find = (table: readonly (readonly [string, string])[]) =>
    table.find(([mark]) => userAgent.includes(mark))?.[1];
  const [browser, system] = [find(BROWSERS) ?? "A browser", find(SYSTEMS)];
  return system === undefined ? browser : `${browser} on ${system}`;
}

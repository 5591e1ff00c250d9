import { BlockList, isIP } from "node:net";

/**
 * Address ranges that users may not make this server connect to. Only public addresses are allowed.
 * Every other address leads to this machine, the local network or the metadata service of a cloud. For IPv6,
 * only the publicly assigned range (2000::/3) is allowed, which excludes v4-mapped, NAT64, link-local and all
 * other addresses; ranges inside it that tunnel IPv4 are listed.
 */
const NOT_PUBLIC_V4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, cloud metadata
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
];
const PUBLIC_V6 = ["2000::/3"];
const NOT_PUBLIC_V6 = [
  "2001::/23", // Teredo, ORCHID, benchmarks
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "3fff::/20", // documentation
];

const notPublicV4 = blockList(NOT_PUBLIC_V4, "ipv4");
const publicV6 = blockList(PUBLIC_V6, "ipv6");
const notPublicV6 = blockList(NOT_PUBLIC_V6, "ipv6");

export function isPublicAddress(address: string): boolean {
  // A zone (`fe80::1%eth0`) only ever belongs to a link.
  if (address.includes("%")) return false;
  switch (isIP(address)) {
    case 4:
      return !notPublicV4.check(address, "ipv4");
    case 6:
      return publicV6.check(address, "ipv6") && !notPublicV6.check(address, "ipv6");
    default:
      return false;
  }
}

function blockList(ranges: readonly string[], type: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", prefix] = range.split("/");
    list.addSubnet(network, Number(prefix), type);
  }
  return list;
}

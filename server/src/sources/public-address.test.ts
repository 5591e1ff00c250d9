import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { isPublicAddress } from "#sources/public-address";
import { isListed } from "#sources/resolve-host";

describe("an address on the network", () => {
  test.each([
    "1.1.1.1",
    "8.8.8.8",
    "140.82.121.3",
    "172.15.0.1",
    "172.32.0.1",
    "192.167.1.1",
    "100.63.0.1",
    "223.255.255.255",
  ])("%s is public", (address) => expect(isPublicAddress(address)).toBe(true));

  test.each(["2606:50c0:8000::153", "2a00:1450:4001::1", "2001:4860:4860::8888", "2620:fe::fe"])(
    "%s is public",
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  test.each([
    ["0.0.0.0", "unspecified"],
    ["10.1.2.3", "private"],
    ["100.64.0.1", "carrier-grade NAT"],
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["169.254.169.254", "cloud metadata"],
    ["172.16.0.1", "private"],
    ["172.31.255.255", "private"],
    ["192.0.0.8", "protocol assignments"],
    ["192.168.1.1", "private"],
    ["198.18.0.1", "benchmarks"],
    ["203.0.113.1", "documentation"],
    ["224.0.0.1", "multicast"],
    ["255.255.255.255", "broadcast"],
    ["::", "unspecified"],
    ["::1", "loopback"],
    ["::ffff:8.8.8.8", "v4-mapped"],
    ["::ffff:7f00:1", "v4-mapped loopback"],
    ["::127.0.0.1", "v4-compatible"],
    ["64:ff9b::7f00:1", "NAT64"],
    ["64:ff9b:1::1", "local NAT64"],
    ["100::1", "discard"],
    ["2001::1", "Teredo"],
    ["2001:db8::1", "documentation"],
    ["2002:7f00:1::", "6to4 of loopback"],
    ["3fff::1", "documentation"],
    ["fc00::1", "unique local"],
    ["fd12:3456::1", "unique local"],
    ["fe80::1", "link-local"],
    ["fe80::1%eth0", "link-local"],
    ["fec0::1", "site-local"],
    ["ff02::1", "multicast"],
    ["localhost", "no address"],
    ["127.1", "no address"],
    ["", "no address"],
  ])("%s is not (%s)", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test("IPv4 as one number of 32 bits: the same answer as from the ranges by arithmetic", () => {
    const isPrivate = (a: number, b: number): boolean =>
      a === 0 ||
      a === 10 ||
      a === 127 ||
      a >= 224 ||
      (a === 100 && b >= 64 && b < 128) ||
      (a === 169 && b === 254) ||
      (a === 172 && b >= 16 && b < 32) ||
      (a === 192 && b === 168) ||
      (a === 198 && (b === 18 || b === 19));
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0] = address.split(".").map(Number);
        fc.pre(!["192.0.0", "192.0.2", "192.88.99", "198.51.100", "203.0.113"].includes(`${a}.${b}.${c}`));
        expect(isPublicAddress(address)).toBe(!isPrivate(a, b));
      }),
    );
  });

  test("any text at all gets an answer", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV6()), (text) => typeof isPublicAddress(text) === "boolean"),
    );
  });
});

test("a setting names a host, with its port or without", () => {
  expect(isListed(["Git.Example"], "git.example", 443)).toBe(true);
  expect(isListed(["git.example:8080"], "git.example", 8080)).toBe(true);
  expect(isListed(["git.example:8080"], "git.example", 80)).toBe(false);
  expect(isListed(["example"], "git.example", 80)).toBe(false);
  expect(isListed(["[::1]:81"], "::1", 81)).toBe(true);
  expect(isListed(["::1"], "::1", 81)).toBe(true);
  expect(isListed([], "", 80)).toBe(false);
});

import { hostList, size, s3Endpoint, word } from "#config/kinds";
import { setting } from "#config/setting";

/** The settings of inputs and outputs that are addresses: a part of `SETTINGS`. */
export const DATA_SETTINGS = {
  dataHttpHosts: setting(hostList(), {
    option: "--data-http-hosts",
    fallback: () => [],
    sentence: "Hosts from which inputs may be fetched over plain HTTP as well as HTTPS.",
  }),
  dataPrivateHosts: setting(hostList(), {
    option: "--data-private-hosts",
    fallback: () => [],
    sentence: "Hosts from which inputs may be fetched even if their address is private or loopback.",
  }),
  depositPrivateHosts: setting(hostList(), {
    option: "--deposit-private-hosts",
    fallback: () => [],
    sentence:
      "Hosts on which runs may be published over plain HTTP, and even if their address is private or loopback.",
  }),
  s3Endpoint: setting(s3Endpoint(), {
    option: "--s3-endpoint",
    fallback: () => "https://s3.amazonaws.com",
    sentence:
      "The S3 service of addresses that name none. `{bucket}` in its host makes the bucket a part of the host.",
  }),
  s3Region: setting(word("a region"), {
    option: "--s3-region",
    fallback: () => "us-east-1",
    sentence: "The region of S3 addresses that name none.",
  }),
  inputStoreBytes: setting(size(0, 2 ** 50), {
    option: "--input-store-size",
    fallback: () => 100 * 2 ** 30,
    sentence:
      "The size of the store of fetched inputs, above which the least recently used ones are removed. Runs keep their copies.",
  }),
};

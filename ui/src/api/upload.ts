import { ApiError } from "reprise-sdk";
import { runAddress } from "./client.ts";

/**
 * Uploads a file, and reports the bytes that were sent. `fetch` does not report them, so this is the one request of the
 * page that goes without the SDK.
 */
export function uploadFile(
  run: string,
  name: string,
  file: File,
  onProgress: (bytes: number) => void,
): Promise<void> {
  const request = new XMLHttpRequest();
  request.open("POST", runAddress(run, `workspace?file_name=${encodeURIComponent(name)}`));
  request.setRequestHeader("content-type", "application/octet-stream");
  request.upload.addEventListener("progress", ({ loaded }) => onProgress(loaded));
  return new Promise((resolve, reject) => {
    request.addEventListener("load", () => {
      if (request.status < 300) resolve();
      else reject(refusalOf(request));
    });
    request.addEventListener("error", () =>
      reject(new Error(`The upload of ${name} broke off. The workspace has no half file. Drop it again.`)),
    );
    request.send(file);
  });
}

function refusalOf({ status, responseText }: XMLHttpRequest): ApiError {
  const { message, code } = JSON.parse(responseText) as { message: string; code: string };
  return new ApiError(status, message, { code });
}

"""Counts the devices that CUDA sees, takes memory on the first one, and holds it: cuda.py SECONDS."""

import ctypes
import sys
import time


def main(seconds: float) -> None:
    cuda = ctypes.CDLL("libcuda.so.1")
    count = ctypes.c_int(0)
    # A call without a device fails with 100 (no device).
    if cuda.cuInit(0) == 0:
        require(cuda.cuDeviceGetCount(ctypes.byref(count)), "cuDeviceGetCount")
    print(f"cuda devices: {count.value}", flush=True)
    if count.value == 0:
        return
    device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
    require(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    require(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device), "cuCtxCreate")
    require(cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(256 << 20)), "cuMemAlloc")
    time.sleep(seconds)


def require(result: int, call: str) -> None:
    if result != 0:
        raise SystemExit(f"{call} failed with {result}")


main(float(sys.argv[1]))

"""Moves files between a folder and a bucket of a local S3 service as fast as boto3 does, and prints the milliseconds:
client.py URL download|upload PREFIX FOLDER, or client.py URL fill PREFIX COUNT BYTES."""

import os
import sys
import time

import boto3
from boto3.s3.transfer import TransferConfig, create_transfer_manager
from botocore.config import Config

url, verb, prefix, *rest = sys.argv[1:]
s3 = boto3.client(
    "s3",
    endpoint_url=url,
    region_name="us-east-1",
    aws_access_key_id="any",
    aws_secret_access_key="any",
    config=Config(max_pool_connections=20),
)


def fill(count, size):
    for index in range(count):
        body = (f"{prefix}{index}\n".encode() * (size // 4))[:size]
        s3.put_object(Bucket="lab", Key=f"{prefix}{index}", Body=body)


def download(folder):
    os.makedirs(folder)
    with create_transfer_manager(s3, TransferConfig()) as manager:
        for page in s3.get_paginator("list_objects_v2").paginate(Bucket="lab", Prefix=prefix):
            for found in page["Contents"]:
                manager.download("lab", found["Key"], os.path.join(folder, os.path.basename(found["Key"])))


def upload(folder):
    with create_transfer_manager(s3, TransferConfig()) as manager:
        for name in os.listdir(folder):
            manager.upload(os.path.join(folder, name), "lab", prefix + name)


began = time.perf_counter()
if verb == "fill":
    fill(int(rest[0]), int(rest[1]))
else:
    {"download": download, "upload": upload}[verb](rest[0])
print((time.perf_counter() - began) * 1000)

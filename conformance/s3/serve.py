"""Serves moto's S3 on a free port of loopback, checks signatures, and prints what a client needs as one line of JSON.
Ends when its standard input is closed. With --open, the bucket is empty, and any keys are accepted."""

import json
import sys

import boto3
from moto import settings
from moto.s3.models import s3_backends
from moto.server import ThreadedMotoServer

ACCOUNT = "123456789012"
ALLOWED = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
url = f"http://{host}:{port}"
service = {
    "endpoint_url": url,
    "region_name": "us-east-1",
    "aws_access_key_id": "setup",
    "aws_secret_access_key": "setup",
}
boto3.client("s3", **service).create_bucket(Bucket="lab")


def fill():
    backend = s3_backends[ACCOUNT]["aws"]
    for index in range(1001):
        backend.put_object("lab", f"many/{index}.txt", f"{index}".encode())
    for name in ("odd/mu 1.root", "odd/ü+2.root", "odd/a&b<c>.root", "odd/50%.root"):
        backend.put_object("lab", name, name.encode())
    backend.put_object("lab", "up/../x", b"x")
    backend.put_object("lab", "large", bytes(range(256)) * (3 << 12))


def ask_for_signatures():
    """Returns the keys of a user without which requests are refused from here on."""
    iam = boto3.client("iam", **service)
    iam.create_user(UserName="ada")
    iam.put_user_policy(UserName="ada", PolicyName="s3", PolicyDocument=json.dumps(ALLOWED))
    key = iam.create_access_key(UserName="ada")["AccessKey"]
    settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
    return f"{key['AccessKeyId']}:{key['SecretAccessKey']}"


keys = ""
if "--open" not in sys.argv:
    fill()
    keys = ask_for_signatures()
print(json.dumps({"url": url, "keys": keys}), flush=True)
sys.stdin.read()
server.stop()

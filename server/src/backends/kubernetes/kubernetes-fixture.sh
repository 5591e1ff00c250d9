#!/usr/bin/env bash
# Starts and ends a real Kubernetes with two nodes on this host, for tests. Root is required.
#   kubernetes-fixture.sh programs SOURCE CACHE   unpacks the four programs of Kubernetes from SOURCE
#   kubernetes-fixture.sh up FOLDER CACHE         starts everything in FOLDER; again: the daemons that have ended
#   kubernetes-fixture.sh down FOLDER             ends what was started in FOLDER, and removes the folder
#   kubernetes-fixture.sh kill FOLDER NAME        kills one daemon: kube-apiserver, kube-scheduler, kubelet-1, containerd-1, …
#   kubernetes-fixture.sh stop-node FOLDER N      kills the kubelet of a node, and the containers of its Pods
#   kubernetes-fixture.sh server-image FOLDER NODE PLACE   gives the nodes the image reprise-server:1: this program of Node, and the package
#                                                 that npm has installed in PLACE
#   kubernetes-fixture.sh registry FOLDER NODE USER:PASSWORD   starts a registry at localhost:25000 of the nodes, for one user
# All daemons live in one network of their own, so no address of this host is used. FOLDER/api is a socket that leads to the API
# server. FOLDER/token.NAME holds a token for each user.
set -euo pipefail
action=$1 folder=$2
PATH=$PATH:/usr/sbin:/sbin
nodes=(1 2)

# is_alive NAME PROGRAM: true if the process of a pid file is the given program. A zombie has ended.
is_alive() {
  local pid
  pid=$(cat "$folder/run/$1.pid" 2> /dev/null) && [ -n "$pid" ] &&
    [ "$(cat "/proc/$pid/comm" 2> /dev/null)" = "${2:0:15}" ] && ! grep -q '^State:.*Z' "/proc/$pid/status"
}

# await WHAT COMMAND…: repeats the command for two minutes, until it succeeds.
await() {
  local what=$1 tries
  shift
  for ((tries = 0; tries < 1200; tries++)); do
    if "$@" > /dev/null 2>&1; then return; fi
    sleep 0.1
  done
  echo "kubernetes-fixture.sh: $what did not come up. See $folder/log." >&2
  exit 1
}

# archive FILE NAME ROOT CONFIG: makes an image of a tree of files, without a registry.
archive() {
  local work layer config
  work=$(mktemp -d)
  tar --owner=0 --group=0 --sort=name --mtime=@0 -C "$3" -cf "$work/layer.tar" .
  layer=$(sha256sum "$work/layer.tar" | cut -c1-64)
  mkdir "$work/$layer"
  mv "$work/layer.tar" "$work/$layer/layer.tar"
  printf '{"architecture":"amd64","os":"linux","config":%s,"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' "$4" "$layer" > "$work/config"
  config=$(sha256sum "$work/config" | cut -c1-64)
  mv "$work/config" "$work/$config.json"
  printf '[{"Config":"%s.json","RepoTags":["%s"],"Layers":["%s/layer.tar"]}]' "$config" "$2" "$layer" > "$work/manifest.json"
  tar -C "$work" -cf "$1.part" manifest.json "$config.json" "$layer"
  mv "$1.part" "$1"
  rm -rf "$work"
}

# The first process of a Pod does nothing but reap.
make_pause_image() {
  local root
  root=$(mktemp -d)
  mkdir -p "$root/bin"
  cp "$(command -v busybox)" "$root/bin/busybox"
  ln -s busybox "$root/bin/sh"
  archive "$1" example.invalid/pause:1 "$root" '{"Entrypoint":["/bin/sh","-c","trap exit TERM INT; while :; do /bin/busybox sleep 3600 & wait; done"]}'
  rm -rf "$root"
}

# copy_program ROOT PROGRAM TARGET: copies a program and its libraries into a tree of files.
copy_program() {
  local file
  for file in $(ldd "$2" | grep -o '/[^ ]*'); do
    mkdir -p "$1$(dirname "$file")"
    cp "$file" "$1$file"
  done
  mkdir -p "$(dirname "$1$3")"
  cp --remove-destination "$2" "$1$3"
}

# make_tree ROOT: makes a tree of files with bash and busybox.
make_tree() {
  local root=$1 tool
  mkdir -p "$root"/{bin,usr,etc,proc,dev,sys,root}
  mkdir -m 1777 "$root/tmp"
  ln -s ../bin "$root/usr/bin"
  cp "$(command -v busybox)" "$root/bin/busybox"
  for tool in $("$root/bin/busybox" --list); do
    [ -e "$root/bin/$tool" ] || ln -s busybox "$root/bin/$tool"
  done
  # The env of busybox prefers its own programs to the PATH.
  for tool in bash env; do copy_program "$root" "/usr/bin/$tool" "/bin/$tool"; done
  echo 'root:x:0:0:root:/root:/bin/sh' > "$root/etc/passwd"
}

make_job_image() {
  local root tool
  root=$(mktemp -d)
  make_tree "$root"
  for tool in kinit klist kvno; do
    if [ -x "/usr/bin/$tool" ]; then copy_program "$root" "/usr/bin/$tool" "/bin/$tool"; fi
  done
  archive "$1" docker.io/library/reprise-test:1 "$root" '{"Env":["PATH=/usr/bin:/bin","FROM_IMAGE=yes"],"Cmd":["/bin/sh"]}'
  rm -rf "$root"
}

# The image of the server, as the Dockerfile makes it, without git.
make_server_image() {
  local root
  root=$(mktemp -d)
  make_tree "$root"
  copy_program "$root" "$2" /usr/local/bin/node
  mkdir -p "$root/opt"
  cp -r "$3/node_modules" "$root/opt/node_modules"
  ln -s /opt/node_modules/.bin/reprise "$root/usr/local/bin/reprise"
  archive "$1" docker.io/library/reprise-server:1 "$root" \
    '{"User":"1000","Env":["PATH=/usr/local/bin:/usr/bin:/bin","REPRISE_DATA=/data","REPRISE_LOG_TO=stderr"],"Entrypoint":["reprise"],"Cmd":["serve","--host","0.0.0.0"]}'
  rm -rf "$root"
}

programs() {
  local cache=$1 name
  mkdir -p "$cache.part/bin"
  for name in kube-apiserver kube-controller-manager kube-scheduler kubelet; do
    xz -dc "$folder/$name.xz" > "$cache.part/bin/$name"
    chmod +x "$cache.part/bin/$name"
  done
  (cd "$cache.part/bin" && sha256sum --quiet -c "$folder/SHA256SUMS")
  rm -rf "$cache"
  mv "$cache.part" "$cache"
}

# spawn NAME PROGRAM ARGUMENT…: starts a daemon in the network of the cluster, unless it runs.
spawn() {
  local name=$1
  shift
  if is_alive "$name" "$(basename "$1")"; then return; fi
  setsid nsenter -t "$(cat "$folder/run/holder.pid")" -n -m -- "$@" < /dev/null >> "$folder/log/$name.log" 2>&1 &
  echo $! > "$folder/run/$name.pid"
}

inside() { nsenter -t "$(cat "$folder/run/holder.pid")" -n -m -- "$@"; }

# A process that only holds the namespaces, and a bridge with the addresses of the nodes: a kubelet refuses loopback.
make_network() {
  if is_alive holder sleep; then return; fi
  setsid unshare -n -m --propagation private sleep infinity < /dev/null > /dev/null 2>&1 &
  echo $! > "$folder/run/holder.pid"
  await "the network" is_alive holder sleep
  inside ip link set lo up
  inside ip link add rep0 type bridge
  inside ip addr add 10.244.0.1/24 dev rep0
  inside ip link set rep0 up
  inside ip route add default dev rep0
  # Pods find the API server at its Service. There is no kube-proxy, so a relay listens at that address.
  inside ip addr add 10.96.0.1/32 dev lo
}

# sign NAME SUBJECT NAMES: makes a key, and a certificate of the cluster's own authority.
sign() {
  openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"
  openssl req -new -key "$1.key" -subj "$2" -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 3650 -out "$1.crt" -extfile <(echo "$3")
}

make_keys() (
  [ ! -e "$folder/pki/ready" ] || exit 0
  cd "$folder/pki"
  exec 2> /dev/null
  openssl ecparam -name prime256v1 -genkey -noout -out ca.key
  openssl req -x509 -new -key ca.key -subj /CN=reprise-test -days 3650 -out ca.crt
  sign server /CN=apiserver "subjectAltName=DNS:localhost,DNS:kubernetes.default.svc,IP:127.0.0.1,IP:10.96.0.1,IP:10.244.0.1"
  sign client /O=system:masters/CN=kubelet-client ""
  sign person /O=system:masters/CN=person ""
  openssl genrsa -out sa.key 2048
  {
    echo admin-token,admin,1,system:masters
    echo manager-token,system:kube-controller-manager,2
    echo scheduler-token,system:kube-scheduler,3
    echo reprise-token,reprise,4
    for node in "${nodes[@]}"; do echo "node-token-$node,system:node:node$node,1$node,system:nodes"; done
  } > tokens.csv
  touch ready
)

# configuration FILE TOKEN
configuration() {
  cat > "$1" << CONF
{"apiVersion":"v1","kind":"Config","current-context":"c","clusters":[{"name":"c","cluster":{"server":"https://127.0.0.1:26443","certificate-authority":"$folder/pki/ca.crt"}}],"users":[{"name":"u","user":{"token":"$2"}}],"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}]}
CONF
}

start_control_plane() {
  local cache=$1 pki=$folder/pki common
  configuration "$pki/manager.conf" manager-token
  configuration "$pki/scheduler.conf" scheduler-token
  spawn etcd etcd --name e --data-dir "$folder/etcd" --unsafe-no-fsync \
    --listen-client-urls http://127.0.0.1:22379 --advertise-client-urls http://127.0.0.1:22379 \
    --listen-peer-urls http://127.0.0.1:22380 --initial-advertise-peer-urls http://127.0.0.1:22380 --initial-cluster e=http://127.0.0.1:22380
  spawn kube-apiserver "$cache/bin/kube-apiserver" --etcd-servers=http://127.0.0.1:22379 --bind-address=127.0.0.1 --advertise-address=127.0.0.1 \
    --secure-port=26443 --tls-cert-file="$pki/server.crt" --tls-private-key-file="$pki/server.key" --client-ca-file="$pki/ca.crt" \
    --token-auth-file="$pki/tokens.csv" --authorization-mode=Node,RBAC --service-cluster-ip-range=10.96.0.0/16 \
    --service-account-issuer=https://kubernetes.default.svc --service-account-key-file="$pki/sa.key" --service-account-signing-key-file="$pki/sa.key" \
    --allow-privileged=true --endpoint-reconciler-type=none --kubelet-preferred-address-types=InternalIP \
    --kubelet-client-certificate="$pki/client.crt" --kubelet-client-key="$pki/client.key"
  # A bash of the namespace has no curl, so the relay answers whether the API server is ready.
  spawn relay node -e "$RELAY" "$folder/api"
  spawn relay-service node -e "$RELAY" 443 10.96.0.1
  await "the API server" ready_path /readyz
  common=(--authentication-kubeconfig="$pki/manager.conf" --authorization-kubeconfig="$pki/manager.conf" --bind-address=127.0.0.1 --leader-elect=false)
  # Short times, so that a lost node is noticed within seconds.
  spawn kube-controller-manager "$cache/bin/kube-controller-manager" --kubeconfig="$pki/manager.conf" "${common[@]}" --secure-port=20257 \
    --service-account-private-key-file="$pki/sa.key" --root-ca-file="$pki/ca.crt" --use-service-account-credentials=true \
    --node-monitor-grace-period=16s --node-monitor-period=2s
  spawn kube-scheduler "$cache/bin/kube-scheduler" --kubeconfig="$pki/scheduler.conf" "${common[@]}" --secure-port=20259
}

# Leads the connections of a socket, or of an address, to the API server.
# shellcheck disable=SC2016 # the code is JavaScript
RELAY='const net = require("node:net");
net.createServer((from) => {
  const to = net.connect(26443, "127.0.0.1");
  from.pipe(to).pipe(from);
  from.on("error", () => to.destroy());
  to.on("error", () => from.destroy());
}).listen(...process.argv.slice(1));'

get() { curl -sSf --max-time 5 --cacert "$folder/pki/ca.crt" --unix-socket "$folder/api" -H 'Authorization: Bearer admin-token' "https://localhost$1"; }
ready_path() { [ "$(get "$1")" = ok ]; }

# import_images NODE: gives a node the images that it lacks.
import_images() {
  local home=$folder/node$1 image mark
  for image in "$folder"/images/*.tar; do
    mark=$home/imported-$(basename "$image")
    [ -e "$mark" ] || { inside ctr -a "$home/c.sock" -n k8s.io images import "$image" > /dev/null && touch "$mark"; }
  done
}

server_image() {
  local node
  make_server_image "$folder/images/server.tar" "$1" "$2"
  for node in "${nodes[@]}"; do import_images "$node"; done
}

registry() {
  spawn registry "$1" "$(dirname "$0")/registry-fixture.ts" 25000 "$folder/images/job.tar" "$2"
  await "the registry" inside curl -sf --user "$2" http://127.0.0.1:25000/v2/
}

start_node() {
  local cache=$1 node=$2 home=$folder/node$2 group controller file address
  address=10.244.0.$((node == 1 ? 1 : 254 - node))
  mkdir -p "$home"/{cni,root,logs,containerd}
  inside ip addr replace "$address/24" dev rep0
  # Each kubelet needs a group of its own, or it ends the Pods of the other one as orphans.
  group=reprise-$(basename "$folder")-$node
  for controller in /sys/fs/cgroup/*/; do
    if ! [ -e "$controller/cgroup.procs" ] || ! mkdir -p "$controller/$group" 2> /dev/null; then continue; fi
    for file in cpuset.cpus cpuset.mems; do
      if [ -f "$controller/$file" ]; then cat "$controller/$file" > "$controller/$group/$file" 2> /dev/null || true; fi
    done
  done
  cat > "$home/cni/10.conflist" << CONF
{"cniVersion":"0.4.0","name":"t","plugins":[{"type":"bridge","bridge":"rep0","isGateway":true,"ipMasq":false,"ipam":{"type":"host-local","dataDir":"$home/ipam","ranges":[[{"subnet":"10.244.0.0/24","rangeStart":"10.244.0.$((node * 60))","rangeEnd":"10.244.0.$((node * 60 + 59))","gateway":"10.244.0.1"}]],"routes":[{"dst":"0.0.0.0/0"}]}}]}
CONF
  cat > "$home/containerd.toml" << CONF
version = 2
root = "$home/containerd/root"
state = "$home/containerd/state"
oom_score = 0
[grpc]
  address = "$home/c.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "$home/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "example.invalid/pause:1"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$home/cni"
CONF
  spawn "containerd-$node" containerd -c "$home/containerd.toml"
  await containerd ctr -a "$home/c.sock" version
  import_images "$node"
  configuration "$home/kubeconfig" "node-token-$node"
  cat > "$home/kubelet.json" << CONF
{"kind":"KubeletConfiguration","apiVersion":"kubelet.config.k8s.io/v1beta1","address":"0.0.0.0","port":$((20249 + node)),"healthzPort":$((20230 + node)),"readOnlyPort":0,
"authentication":{"anonymous":{"enabled":false},"webhook":{"enabled":true},"x509":{"clientCAFile":"$folder/pki/ca.crt"}},"authorization":{"mode":"Webhook"},
"cgroupDriver":"cgroupfs","cgroupsPerQOS":true,"cgroupRoot":"/$group","enforceNodeAllocatable":[],"failSwapOn":false,"failCgroupV1":false,"oomScoreAdj":0,
"containerRuntimeEndpoint":"unix://$home/c.sock","imageServiceEndpoint":"unix://$home/c.sock","localStorageCapacityIsolation":false,"makeIPTablesUtilChains":false,
"evictionHard":{"memory.available":"50Mi","nodefs.available":"1%","imagefs.available":"1%"},"imageGCHighThresholdPercent":100,"podLogsDir":"$home/logs","nodeStatusUpdateFrequency":"3s",
"maxPods":50}
CONF
  spawn "kubelet-$node" "$cache/bin/kubelet" --config="$home/kubelet.json" --kubeconfig="$home/kubeconfig" --hostname-override="node$node" \
    --node-ip="$address" --root-dir="$home/root" --cert-dir="$home/pki"
}

# A new node has a taint until it is ready.
nodes_are_ready() {
  [ "$(get /api/v1/nodes | node -e 'let text = ""; process.stdin.on("data", (part) => (text += part)).on("end", () =>
    console.log(JSON.parse(text).items.filter(({ spec }) => !spec.taints).length))')" = "${#nodes[@]}" ]
}
account_is_there() { get /api/v1/namespaces/default/serviceaccounts/default; }

up() {
  local node
  mkdir -p "$folder"/{run,log,pki,etcd,images}
  [ -e "$folder/images/pause.tar" ] || make_pause_image "$folder/images/pause.tar"
  [ -e "$folder/images/job.tar" ] || make_job_image "$folder/images/job.tar"
  make_network
  make_keys
  start_control_plane "$1"
  for node in "${nodes[@]}"; do start_node "$1" "$node"; done
  await "every node" nodes_are_ready
  await "the default service account" account_is_there
}

kill_daemon() {
  local pid
  pid=$(cat "$folder/run/$1.pid" 2> /dev/null) || return 0
  kill -9 "$pid" 2> /dev/null || return 0
  while is_alive "$1" "${1%-[0-9]}"; do sleep 0.05; done
}

# Kills the shims whose command line names a folder, with their containers.
kill_shims() {
  local pid child
  grep -lzF "$1" /proc/[0-9]*/cmdline 2> /dev/null | grep -oE '[0-9]+' | while read -r pid; do
    [ "$(cat "/proc/$pid/comm" 2> /dev/null)" = containerd-shim ] || continue
    for child in $(ps -o pid= --ppid "$pid"); do kill -9 "$child" 2> /dev/null || true; done
    kill -9 "$pid" 2> /dev/null || true
  done || true # a cluster without Pods has none
}

stop_node() {
  kill_daemon "kubelet-$1"
  kill_shims "$folder/node$1/"
}

# Kills the processes in the network of the cluster, with the signal.
end_network() {
  local pid network holder found=1
  holder=$(cat "$folder/run/holder.pid")
  network=$(readlink "/proc/$holder/ns/net") || return 1
  for pid in /proc/[0-9]*; do
    pid=${pid#/proc/}
    if [ "$pid" != "$holder" ] && [ "$(readlink "/proc/$pid/ns/net" 2> /dev/null)" = "$network" ]; then
      kill "-$1" "$pid" 2> /dev/null || true
      found=0
    fi
  done
  return "$found"
}

down() {
  local name tries group process
  [ -d "$folder/run" ] || return 0
  # The kubelets first, so that no Pod starts again.
  for name in "$folder"/run/kubelet-*.pid; do kill_daemon "$(basename "$name" .pid)"; done
  kill_shims "$folder/node"
  for ((tries = 0; tries < 5; tries++)); do
    end_network KILL || break
    sleep 0.2
  done
  for group in /sys/fs/cgroup/*/"reprise-$(basename "$folder")"-*/; do
    [ -d "$group" ] || continue
    for ((tries = 0; tries < 5; tries++)); do
      find "$group" -name cgroup.procs -exec cat {} + 2> /dev/null | while read -r process; do kill -9 "$process" 2> /dev/null || true; done
      if find "$group" -depth -type d -exec rmdir {} + 2> /dev/null; then break; fi
      sleep 0.2
    done
  done
  kill -9 "$(cat "$folder/run/holder.pid")" 2> /dev/null || true
  for ((tries = 0; tries < 50; tries++)); do
    if rm -rf -- "$folder" 2> /dev/null; then break; fi
    sleep 0.3
  done
}

case $action in
  programs) programs "$3" ;;
  up) up "$3" ;;
  down) down ;;
  kill) kill_daemon "$3" ;;
  stop-node) stop_node "$3" ;;
  server-image) server_image "$3" "$4" ;;
  registry) registry "$3" "$4" ;;
  *) sed -n '2,12p' "$0" >&2 && exit 2 ;;
esac

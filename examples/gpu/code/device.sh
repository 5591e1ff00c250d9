# Says which GPU the job has, and what the driver tells about the GPU.
set -eu
echo "granted: $CUDA_VISIBLE_DEVICES"
if command -v nvidia-smi > /dev/null; then
  nvidia-smi --id="$CUDA_VISIBLE_DEVICES" --query-gpu=name,memory.total,utilization.gpu --format=csv
fi

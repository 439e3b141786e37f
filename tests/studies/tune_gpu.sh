#!/bin/sh
# Measures spaces of tune_simulation on a GPU: two workloads, and the two kernel files of configs/, each of these with a
# small space and a large one, which takes some 400 s.
#
# Usage, in the repository's root: tune_gpu.sh BENCH OUT [exhaustive|searches [SECONDS [SPACE...]]]
# exhaustive: OUT/SPACE.json has every configuration, for tune_simulation: workloads in two processes, files in one.
# searches: OUT/searches.tar.gz has searches of each space, of so many seconds: a tenth of what all of its
# configurations took. Without SECONDS three searches, the first 20 s long, the others as long as a tenth of the looks
# at all take. Else one for each seed of the environment variable SEEDS. Without a third word both, without a SPACE the
# four small ones. OUT/log has the seconds of each step. A step that takes too long is interrupted, and what it has
# measured is kept.
set -u
bench=$1
out=$2
what=${3:-all}
seconds=${4:-}
here=tests/studies
all="workload_convolution workload_gemm file_convolution file_product"
[ $# -gt 4 ] && shift 4 && all="$*"
kernels=$(mktemp -d)
export XDG_CACHE_HOME="$kernels"
mkdir -p "$out"

space() {
  case $1 in
    workload_convolution) echo "--config $here/tune_gpu_convolution.yaml" ;;
    workload_gemm) echo "--config $here/tune_gpu_gemm.yaml" ;;
    file_convolution)
      echo "--trust --config configs/tune_convolution.yaml --set PAD=0 --set TY=1,2,4,8 --set UNROLL=1,9" \
        "--set BX=16,32,64,128 --set BY=2,4,8,16 --set TX=1,2" ;;
    file_product)
      echo "--trust --config configs/tune_product.yaml --set UNROLL=1 --set PAD=0,4 --set TM=2,4,8 --set TN=2,4,8" \
        "--set BM=32,64,128 --set BN=32,64,128 --set BK=8,16,32" ;;
    large_convolution)
      echo "--trust --config configs/tune_convolution.yaml --set PAD=0 --set UNROLL=1,9" ;;
    large_product)
      echo "--trust --config configs/tune_product.yaml --set UNROLL=1 --set PAD=0,4 --set BK=8,16,32" ;;
  esac
}

# step SECONDS NAME COMMAND...: logs what it took and how it ended.
step() {
  limit=$1
  label=$2
  shift 2
  begin=$(date +%s.%N)
  timeout -s INT -k 20 "$limit" "$@" >"$kernels/said" 2>&1
  rc=$?
  echo "$(date +%s.%N) $begin" | awk -v n="$label" -v rc=$rc '{printf "%s: %.1f s, exit code %d\n", n, $1 - $2, rc}' |
    tee -a "$out/log"
  tail -n 12 "$kernels/said" | cut -c 1-200 >>"$out/log"
}

exhaustive() {
  until=$(($(date +%s) + 560)) # it fits into ten minutes
  spaces=$(echo "$all" | wc -w)
  for name in $all; do
    case $name in
      workload_*) processes=2 ;;
      *) processes=1 ;;
    esac
    # shellcheck disable=SC2046
    step $(((until - $(date +%s)) / spaces)) "$name, every configuration" \
      "$bench" $(space "$name") --backend cuda --seed 1 -q --set processes=$processes --set max_time=20ms \
      --set min_samples=10 --set warmup=1ms --set precision=2% --out "$out/$name.json"
    spaces=$((spaces - 1))
  done
}

# search SPACE SEED SECONDS: with nothing compiled.
search() {
  rm -rf "$kernels/apodbench"
  # shellcheck disable=SC2046
  step $(($3 + 40)) "$1, seed $2, $3 s" "$bench" tune $(space "$1") --backend cuda --seed "$2" --budget "$3s" -q \
    --out "$kernels/found/$1_$2.json" --out "$kernels/found/$1_$2.md" --out "$kernels/found/$1_$2.yaml"
  tar -czf "$out/searches.tar.gz" -C "$kernels/found" .
}

searches() {
  mkdir -p "$kernels/found"
  for name in $all; do
    if [ -n "$seconds" ]; then
      for seed in $SEEDS; do search "$name" "$seed" "$seconds"; done
      continue
    fi
    search "$name" 1 20
    # A tenth of what looks at all would take, as the first search has seen: looks have 70 % of its time.
    tenth=$(sed -n 's/^Tried \([0-9]*\) of \([0-9]*\) .*/\1 \2/p' "$kernels/found/${name}_1.md" |
      awk '{t = 0.1 * $2 * 0.7 * 20 / $1; printf "%d", t < 12 ? 12 : t > 35 ? 35 : t}')
    for seed in 2 3; do search "$name" "$seed" "${tenth:-20}"; done
  done
}

case $what in exhaustive | all) exhaustive ;; esac
case $what in searches | all) searches ;; esac
rm -rf "$kernels"

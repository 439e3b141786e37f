# Shared by scripts/run, scripts/test and .ci/run: what the build needs, and how it is built.
# Everything said here goes to stderr, because stdout belongs to `bench`.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
oldest_cmake=3.25

# What the build needs: "command:package" ...
needed_tools=(cmake:cmake ninja:ninja-build "${CXX:-c++}:g++" git:git)
# ... and "header:package". FetchContent covers these but SQLite where apt does not, see docs/install.md.
needed_headers=(
  yaml-cpp/yaml.h:libyaml-cpp-dev
  nlohmann/json.hpp:nlohmann-json3-dev
  CLI/CLI.hpp:libcli11-dev
  fmt/core.h:libfmt-dev
  boost/math/distributions/students_t.hpp:libboost-dev
  benchmark/benchmark.h:libbenchmark-dev
  sqlite3.h:libsqlite3-dev
  gtest/gtest.h:libgtest-dev
)

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$@"; exit 1; }

# missing_tools COMMAND:PACKAGE...: the packages of the commands that are not here, one a line.
missing_tools() {
  local pair
  for pair in "$@"; do
    command -v "${pair%%:*}" >/dev/null || printf '%s\n' "${pair#*:}"
  done
}

# missing_headers HEADER:PACKAGE...: the same for headers. The compiler knows best where it looks, in
# one run for all of them; without a compiler everything is counted as missing.
missing_headers() {
  local compiler=${CXX:-c++} pair
  if ! command -v "$compiler" >/dev/null; then
    printf '%s\n' "${@#*:}"
    return
  fi
  for pair in "$@"; do
    printf '#if !__has_include(<%s>)\n%s\n#endif\n' "${pair%%:*}" "${pair#*:}"
  done | "$compiler" -std=c++20 -E -P -x c++ - | sed '/^$/d'
}

# consents: a person at a terminal is asked before anything is installed, unless the first word of
# the command was --yes. Where nobody could answer, as in CI, to call the script is to agree.
consents() {
  local answer
  [[ -n ${assume_yes:-} || ! -t 0 || ! -t 2 ]] && return
  read -r -p "${0##*/}: install them now? [Y/n] " answer && [[ -z $answer || $answer == [yY]* ]]
}

# install_packages PACKAGE...: through apt, as root or through sudo; elsewhere it says what is needed.
install_packages() {
  local as_root=()
  if ! command -v apt-get >/dev/null; then
    say "missing, by their Debian names: $*"
    die "there is no apt-get here to install them; install what your system calls them, then try again"
  fi
  local install=(apt-get install --yes --no-install-recommends "$@")
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "missing: $*. Not root and no sudo here; run as root: ${install[*]}"
    as_root=(sudo)
  fi
  local line="${as_root[*]:+${as_root[*]} }${install[*]}"
  say "packages are missing; this installs them: $line"
  consents || die "nothing was installed; run that line when you are ready"
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  quietly "apt-get update" "${as_root[@]}" apt-get update || say "apt-get update failed; trying with the lists at hand"
  quietly "apt-get install" "${as_root[@]}" "${install[@]}" || die "could not install; run as root: ${install[*]}"
}

# install_missing COMMAND:PACKAGE...: these and the needed headers.
install_missing() {
  local packages
  mapfile -t packages < <(missing_tools "$@"; missing_headers "${needed_headers[@]}")
  ((${#packages[@]} == 0)) || install_packages "${packages[@]}"
}

# quietly LABEL COMMAND...: runs it without its output. On a terminal its latest line stands in for a
# progress bar, in a log a line each half minute shows that it lives. All output follows a failure,
# less ninja's progress.
quietly() {
  local label=$1 log line status next=$((SECONDS + 30))
  shift
  log=$(mktemp)
  status=0
  "$@" </dev/null 2>&1 | tee "$log" | while IFS= read -r line; do
    if [[ -t 2 ]]; then
      line="$label: ${line//$'\t'/ }"
      printf '\r\033[K%s' "${line:0:79}" >&2
    elif ((SECONDS >= next)); then
      printf '%s: %s\n' "$label" "$line" >&2
      next=$((SECONDS + 30))
    fi
  done || status=$?
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
  if ((status != 0)); then
    say "$label failed:"
    grep -v '^\[[0-9]*/[0-9]*\] ' "$log" >&2 || true
  fi
  rm -f "$log"
  return "$status"
}

# `sudo scripts/run` must not leave a build folder that its owner cannot write: building is done as
# the person who called sudo, where the checkout is theirs.
as_owner() {
  if ((EUID == 0)) && [[ ${SUDO_UID:-0} != 0 && $(stat -c %u "$root") == "${SUDO_UID}" ]]; then
    HOME=$(getent passwd "$SUDO_UID" | cut -d: -f6) runuser -u "$SUDO_USER" -- "$@"
  else
    "$@"
  fi
}

# The nvcc that cmake/Cuda.cmake will find, or nothing.
find_nvcc() {
  if [[ -n ${CUDACXX:-} ]]; then
    command -v "$CUDACXX"
  else
    command -v nvcc || command -v /usr/local/cuda/bin/nvcc
  fi
}

check_cmake() {
  local version
  version=$(cmake --version | sed -n 's/^cmake version \([0-9.]*\).*/\1/p')
  [[ $(printf '%s\n' "$oldest_cmake" "$version" | sort -V | head -n 1) == "$oldest_cmake" ]] ||
    die "cmake $oldest_cmake or later is needed, $(command -v cmake) is $version (newer ones: pip install cmake, or apt.kitware.com)"
}

# build PRESET TARGET: installs what is missing, configures once, then leaves it to ninja. One build at
# a time for each folder, because ninja does not protect itself.
build() {
  local preset=$1 target=$2 folder=$root/build/$1 kind minutes lock
  install_missing "${needed_tools[@]}"
  as_owner mkdir -p "$folder"
  exec {lock}<"$folder"
  flock "$lock"
  if [[ ! -e $folder/build.ninja ]] ||
    { [[ -e /dev/nvidiactl ]] && grep -qs '^APOD_HAVE_GPU:INTERNAL=OFF' "$folder/CMakeCache.txt"; }; then
    check_cmake
    kind="host only"
    minutes="5 minutes"  # docs/CONTRIBUTING.md
    if [[ $preset == cuda* ]]; then
      kind="host and CUDA ($(find_nvcc || true))"
      minutes="over 5 minutes (5 with APOD_PRESET=host)"
    elif ! find_nvcc >/dev/null; then
      kind="host only, because no nvcc was found"
    fi
    say "configuring and building build/$preset: $kind"
    if [[ $preset == cuda || $preset == host ]]; then
      say "on two quiet cores bench takes $minutes, and all tests 6 more"
    fi
    if ! quietly "cmake" as_owner cmake --fresh -S "$root" --preset "$preset"; then
      as_owner rmdir --ignore-fail-on-non-empty "$folder"  # a preset that is none leaves it empty
      exit 1
    fi
  fi
  quietly "build/$preset" as_owner cmake --build "$folder" --target "$target" || exit 1
  exec {lock}<&-
}

# The preset to build: APOD_PRESET where it is set, else what this machine can.
choose_preset() {
  if [[ -n ${APOD_PRESET:-} ]]; then
    echo "$APOD_PRESET"
  elif find_nvcc >/dev/null; then
    echo cuda
  else
    echo host
  fi
}

# shellcheck shell=bash
# Shared by the scripts: packages, steps with one line of output each, and one line that says what failed.

# The variables are for the scripts that source this file.
# shellcheck disable=SC2034
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_packages=(g++ cmake ninja-build libcli11-dev libfmt-dev nlohmann-json3-dev libyaml-cpp-dev
  libexpected-dev libxxhash-dev libre2-dev libdnnl-dev libopenblas-pthread-dev)
test_packages=(libgtest-dev libgmock-dev python3 python3-pytest python3-yaml python3-jsonschema procps git)
log_file=""

say() { printf '%s\n' "$*"; }

fail() {
  printf '%s: failed: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# step TEXT COMMAND...: runs quietly; a failure shows the end of its output and one line with the reason.
step() {
  local text=$1
  shift
  local begin=$SECONDS
  mkdir -p "$root/build"
  log_file="$root/build/$(basename "$0" .sh).log"
  printf '== %s\n' "$text"
  if ! "$@" >"$log_file" 2>&1; then
    tail -n 25 "$log_file" >&2
    fail "$text (exit status of: $*; whole output: $log_file)"
  fi
  printf '   done in %s s\n' "$((SECONDS - begin))"
}

missing_packages() {
  local name
  for name in "$@"; do
    dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'install ok installed' || printf '%s\n' "$name"
  done
}

install_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -eq 0 ] && return 0
  command -v apt-get >/dev/null || fail "these packages are missing and there is no apt-get: ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "run as root once: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  step "reading the package lists" "${as_root[@]}" apt-get update
  step "installing ${missing[*]}" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"
}

# build PRESET: configures and builds. ccache is used where it is installed.
build() {
  local launcher=()
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  cd "$root" || fail "cannot enter $root"
  step "configuring ($1)" cmake --preset "$1" "${launcher[@]}"
  step "building ($1)" cmake --build --preset "$1"
}

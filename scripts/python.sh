# The tests of the Python module, as a stage of scripts/test. Source it after lib.sh.

# Where the module is put together. A virtual environment there has numpy and pytest, unless python3 has them.
python_room=${CARGO_TARGET_DIR:-$PWD/target}/python

# The python3 that runs the tests. Without one, says why on standard error.
find_python() {
    local python=python3 needs='import sys, numpy, pytest'
    if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
        echo "there is no Python 3.10 or newer" >&2
        return 1
    fi
    if ! "$python" -c "$needs" 2>/dev/null; then
        python=$python_room/venv/bin/python
    fi
    if ! "$python" -c "$needs" 2>/dev/null; then
        if [ "${CLOTH_SIM_NO_INSTALL:-0}" != 0 ]; then
            echo "python3 has no numpy and pytest, and you refused to install anything" >&2
            return 1
        fi
        { python3 -m venv "$python_room/venv" &&
            "$python" -m pip install --quiet numpy pytest; } >/dev/null 2>&1
    fi
    if ! "$python" -c "$needs" 2>/dev/null; then
        echo "numpy and pytest cannot be installed into $python_room/venv" >&2
        return 1
    fi
    echo "$python"
}

# The library of the default build is used again. What the module adds need not run fast here.
build_module() {
    cargo build --locked --release --package cloth-sim-python \
        --config profile.release.package.cloth-sim-python.opt-level=0 || return 1
    rm -rf "$python_room/module" && mkdir -p "$python_room/module" &&
        cp -r python/cloth_sim "$python_room/module/" || return 1
    local library
    for library in "$python_room/../release"/lib_core.{so,dylib}; do
        [ -e "$library" ] && cp "$library" "$python_room/module/cloth_sim/_core.abi3.so" && return
    done
    return 1
}

# python_tests BINARY: runs pytest on a module built from here. BINARY is the program to compare with.
# The result has a line like those of `cargo test`, for the summary.
python_tests() {
    local python result status
    if [ "${CLOTH_SIM_NO_PYTHON:-0}" != 0 ]; then
        echo "skipped the tests of the Python module: CLOTH_SIM_NO_PYTHON is set"
        return 0
    fi
    if ! python=$(find_python 2>&1); then
        echo "skipped the tests of the Python module: $python"
        return 0
    fi
    build_module || return 1
    result=$(PYTHONPATH=$python_room/module CLOTH_SIM_BINARY=$1 \
        "$python" -m pytest -p no:cacheprovider --quiet --durations=3 --color=no)
    status=$?
    echo "$result"
    echo "test result: $(tail -n 1 <<<"$result")"
    return $status
}

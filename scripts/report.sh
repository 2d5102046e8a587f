#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints the information for a bug report: versions, OpenCL devices, the plugin
# that GStreamer finds, settings and a pipeline's log. Removes USER:PASSWORD@ in
# URIs, password=, passphrase=, user-pw=, and variables named *PASSWORD*,
# *SECRET*, *TOKEN*, *KEY*; no other secrets. Read it before you send it.
#
# usage: scripts/report.sh [PIPELINE]
#   PIPELINE  as for gst-launch-1.0, in one argument (default: three frames of
#             videotestsrc through clframesum)
set -u

case ${1:-} in
  -*) sed -n '8,10s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
pipeline=${1:-videotestsrc num-buffers=3 ! clframesum ! fakesink}

# section TITLE COMMAND...: prints the output of the command, or that the
# command is missing.
section () {
  printf '\n== %s\n' "$1"
  shift
  if command -v "$1" >/dev/null; then
    "$@" 2>&1
  else
    echo "there is no $1"
  fi
}

versions () {
  uname -srm
  sed -n 's/^PRETTY_NAME=//p' /etc/os-release
  gst-inspect-1.0 --version | sed -n '2p'
  for package in gstreamer1.0-opencl ocl-icd-libopencl1 pocl-opencl-icd; do
    dpkg-query -W "$package" 2>/dev/null
  done
  if [ -e "$(dirname "$0")/../.git" ]; then
    git -C "$(dirname "$0")" describe --always --dirty
  fi
}

# Variables that select the plugin, the driver and the device.
settings () {
  env | grep -E '^(GST_|POCL_|OCL_ICD_|LD_|CUDA_VISIBLE|RUSTICL_|CLQC_)' | sort
}

devices () {
  if command -v clinfo >/dev/null; then
    clinfo
  else
    echo "there is no clinfo: install it, as a package of that name, and run" \
      "this again"
  fi
}

# Removes colours, and the middle of long logs: choices are logged at the
# beginning, errors at the end.
run () {
  log=$(mktemp) || return
  set -f
  status=0
  # shellcheck disable=SC2086 # words
  GST_DEBUG=${GST_DEBUG:-cl*:5,2} GST_DEBUG_NO_COLOR=1 timeout 60 \
    gst-launch-1.0 $pipeline >"$log" 2>&1 || status=$?
  if [ "$(wc -l <"$log")" -le 300 ]; then
    cat "$log"
  else
    head -n 150 "$log"
    echo "[...]"
    tail -n 150 "$log"
  fi
  rm -f "$log"
  case $status in
    0) echo "gst-launch-1.0 ended well" ;;
    124) echo "gst-launch-1.0 was stopped after 60 seconds" ;;
    *) echo "gst-launch-1.0 ended with status $status" ;;
  esac
}

# Removes secrets from the output: in variables, properties and addresses.
hide () {
  sed -E -e 's/^([A-Z0-9_]*(PASSWORD|SECRET|TOKEN|KEY)[A-Z0-9_]*=).+/\1***/' \
    -e 's/((password|passphrase|user-pw)=)[^ ]+/\1***/Ig' \
    -e 's|//[^/ ]+@|//***@|g'
}

{
  section versions versions
  section environment settings
  section 'OpenCL devices (clinfo)' devices
  section 'the plugin' gst-inspect-1.0 opencl
  section "gst-launch-1.0 $pipeline" run
} 2>&1 | hide

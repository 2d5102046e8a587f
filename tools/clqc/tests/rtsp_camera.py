# SPDX-License-Identifier: LGPL-2.1-or-later
"""A camera with a password: serves a moving picture as
rtsp://USER:PASSWORD@127.0.0.1:PORT/live.

usage: rtsp_camera.py PORT USER PASSWORD
"""
import sys

import gi

gi.require_version('Gst', '1.0')
gi.require_version('GstRtspServer', '1.0')
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402


def main(port, user, password):
    Gst.init(None)
    server = GstRtspServer.RTSPServer()
    server.set_address('127.0.0.1')
    server.set_service(port)

    token = GstRtspServer.RTSPToken()
    token.set_string('media.factory.role', 'viewer')
    auth = GstRtspServer.RTSPAuth()
    auth.add_basic(GstRtspServer.RTSPAuth.make_basic(user, password), token)
    server.set_auth(auth)

    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch(
        'videotestsrc is-live=true pattern=smpte75 horizontal-speed=4 ! '
        'video/x-raw,format=I420,width=128,height=96,framerate=10/1 ! '
        'jpegenc ! rtpjpegpay name=pay0 pt=26')
    factory.set_shared(True)
    factory.add_role_from_structure(Gst.Structure.new_from_string(
        'viewer, media.factory.access=(boolean)true, '
        'media.factory.construct=(boolean)true'))
    server.get_mount_points().add_factory('/live', factory)
    if server.attach(None) == 0:
        sys.exit(f'cannot listen on {port}')
    print('listening', flush=True)
    GLib.MainLoop().run()


if __name__ == '__main__':
    main(*sys.argv[1:])

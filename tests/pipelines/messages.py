# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages of a pipeline, as a Python application reads them. Skips the
calling program if GStreamer has no Python bindings."""
import launch

try:
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import GLib, Gst
except (ImportError, ValueError) as error:
    launch.skip(str(error))

PATIENCE = 60  # seconds; kernels may have to compile before the first frame
KINDS = Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.ELEMENT


contexts = []  # the one of the process: its pipelines share compiled kernels


def until_end(pipeline):
    """Plays @pipeline and yields the structure of each element message until
    the end of the stream, while the pipeline still plays. Raises
    AssertionError at an error, or if there is no message for a minute."""
    for context in contexts:
        pipeline.set_context(context)
    pipeline.set_state(Gst.State.PLAYING)
    while True:
        message = pipeline.get_bus().timed_pop_filtered(
            PATIENCE * Gst.SECOND, KINDS)
        if message is None:
            raise AssertionError(f'no message for {PATIENCE} seconds')
        if message.type == Gst.MessageType.EOS:
            context = pipeline.get_context('gst.cl.context')
            if context and not contexts:
                contexts.append(context)
            return
        if message.type == Gst.MessageType.ERROR:
            raise AssertionError(message.parse_error())
        yield message.get_structure()


def to_list(value):
    """Arrays, also nested ones, and bytes, which are numbers of 32 bits, as
    lists; other values unchanged."""
    if isinstance(value, Gst.ValueArray):
        return [to_list(entry) for entry in value]
    if isinstance(value, GLib.Bytes):
        return list(memoryview(value.get_data() or b'').cast('I'))
    return value


def to_dict(structure):
    """Returns the fields of a structure in order."""
    names = [structure.nth_field_name(i) for i in range(structure.n_fields())]
    return {name: to_list(structure.get_value(name)) for name in names}

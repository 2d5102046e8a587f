#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""clframesum analytics-meta=true: applications iterate over the metas with
GStreamer's Python bindings, and their numbers are those of the messages."""
import launch
import messages
import pagecommands
from messages import GLib, Gst

import numpy

try:
    import gi
    gi.require_version('GstAnalytics', '1.0')
    from gi.repository import GstAnalytics
except (ImportError, ValueError) as error:
    launch.skip(str(error))

SIZE = 144 * 80 * 3 // 2
CAPS = 'video/x-raw,format=I420,width=144,height=80,framerate=25/1'
HAS_BOX_TENSORS = hasattr(GstAnalytics, 'TensorMtd')


def functions_of_page():
    found = {}
    for text in pagecommands.fenced('docs/statistics.md', 'python'):
        if 'def tensors_of_frame' in text:
            exec(text, found)  # pylint: disable=exec-used
    return found


class AnalyticsTest(launch.PipelineTest):
    def test_metas(self):
        """Frames with two boxes, and a cut to the last frame."""
        pipeline = Gst.parse_launch(
            f'appsrc name=in format=time caps={CAPS} ! clframesum '
            'analytics-meta=true events=scene grid-columns=3 grid-rows=2 '
            'statistics=moments+profiles+waveform ! appsink name=out')
        for value in 16, 16, 200:
            buffer = Gst.Buffer.new_wrapped(bytes([value]) * SIZE)
            meta = GstAnalytics.buffer_add_analytics_relation_meta(buffer)
            for x in 8, 20:
                meta.add_od_mtd(GLib.quark_from_string('dog'), x, 4, 16, 12, 1)
            pipeline.get_by_name('in').emit('push-buffer', buffer)
        pipeline.get_by_name('in').emit('end-of-stream')
        pipeline.set_state(Gst.State.PLAYING)
        buffers = []
        while sample := pipeline.get_by_name('out').emit('pull-sample'):
            buffers.append(sample.get_buffer())
        results = [messages.to_dict(structure)
                   for structure in messages.until_end(pipeline)
                   if structure.get_name() == 'clframesum']
        pipeline.set_state(Gst.State.NULL)

        self.assertEqual([len(buffers), len(results)], [3, 3])
        page = functions_of_page()
        for i, (buffer, result) in enumerate(zip(buffers, results)):
            tensors = page['tensors_of_frame'](buffer)
            self.assert_equal_arrays(
                tensors['gst-opencl/zones/mean/1'],
                numpy.array(result['zone-mean']).reshape(3, 2, 3), 'mean')
            self.assert_equal_arrays(
                tensors['gst-opencl/frame/column-max-U/1'],
                numpy.array(result['column-max'][1]), 'column-max')
            self.assert_equal_arrays(
                tensors['gst-opencl/frame/waveform-V/1'],
                numpy.array(result['waveform'][2]).reshape(
                    result['waveform-shape'][2]), 'waveform')

            meta = GstAnalytics.buffer_get_analytics_relation_meta(buffer)
            mtds = list(meta)  # fails at types that the bindings do not know
            self.assertEqual(
                [GLib.quark_to_string(mtd.get_quark(0)) for mtd in mtds
                 if isinstance(mtd, GstAnalytics.ClsMtd)],
                ['gst-opencl/events/scene'] if i == 2 else [])
            boxes = [mtd for mtd in mtds if isinstance(mtd, GstAnalytics.ODMtd)]
            self.assertEqual([box.id for box in boxes], result['roi-id'])
            # 6 of moments and 4 of the rectangle for each
            self.assertEqual(
                len(mtds), (i == 2) + (2 * 11 if HAS_BOX_TENSORS else 2))
            for b, box in enumerate(boxes if HAS_BOX_TENSORS else []):
                of_box = page['tensors_of_box'](box)
                self.assert_equal_arrays(
                    of_box['gst-opencl/box/mean/1'],
                    numpy.array(result['roi-mean'])[:, b], 'mean')
                self.assertEqual(of_box['gst-opencl/box/x/1'],
                                 result['roi-x'][b])

    def test_tensors_of_others(self):
        """The page's functions leave out the tensor of a detector, of a type
        that clframesum does not have, and take buffers without a meta."""
        page = functions_of_page()
        self.assertEqual(page['tensors_of_frame'](Gst.Buffer()), {})

        detected = (GLib.quark_from_string('detector/scores'),
                    GstAnalytics.TensorDataType.FLOAT32,
                    Gst.Buffer.new_wrapped(bytes(8)),
                    GstAnalytics.TensorDimOrder.ROW_MAJOR, [2])
        buffer = Gst.Buffer.new_wrapped(bytes(SIZE))
        GstAnalytics.buffer_add_tensor_meta(buffer).set(
            [GstAnalytics.Tensor.new_simple(*detected)])
        meta = GstAnalytics.buffer_add_analytics_relation_meta(buffer)
        _, box = meta.add_od_mtd(GLib.quark_from_string('dog'), 8, 4, 16, 12, 1)
        if HAS_BOX_TENSORS:
            _, scores = meta.add_tensor_mtd_simple(*detected)
            meta.set_relation(GstAnalytics.RelTypes.RELATE_TO, box.id,
                              scores.id)
            self.assertEqual(page['tensors_of_box'](box), {})
        self.assertEqual(page['tensors_of_frame'](buffer), {})

        pipeline = Gst.parse_launch(
            f'appsrc name=in format=time caps={CAPS} ! clframesum '
            'analytics-meta=true grid-columns=2 ! appsink name=out')
        pipeline.get_by_name('in').emit('push-buffer', buffer)
        del buffer  # GStreamer 1.26 loses a GstTensorMeta in copies
        pipeline.set_state(Gst.State.PLAYING)
        buffer = pipeline.get_by_name('out').emit('pull-sample').get_buffer()
        pipeline.set_state(Gst.State.NULL)
        self.assertEqual(
            GstAnalytics.buffer_get_tensor_meta(buffer).get(0).id, detected[0])
        tensors = page['tensors_of_frame'](buffer)
        self.assertEqual(tensors['gst-opencl/zones/mean/1'].shape, (3, 1, 2))
        self.assertNotIn('detector/scores', tensors)
        if HAS_BOX_TENSORS:
            box, = [mtd for mtd in
                    GstAnalytics.buffer_get_analytics_relation_meta(buffer)
                    if isinstance(mtd, GstAnalytics.ODMtd)]
            tensors = page['tensors_of_box'](box)
            self.assertEqual(tensors['gst-opencl/box/mean/1'].shape, (3,))
            self.assertNotIn('detector/scores', tensors)

    def test_many_boxes(self):
        """The number of boxes that the page says have tensors."""
        if not HAS_BOX_TENSORS:
            self.skipTest('GStreamer has no tensors of boxes')
        pipeline = Gst.parse_launch(
            f'appsrc name=in format=time caps={CAPS} ! clframesum '
            'analytics-meta=true ! appsink name=out')
        buffer = Gst.Buffer.new_wrapped(bytes(SIZE))
        meta = GstAnalytics.buffer_add_analytics_relation_meta(buffer)
        for _ in range(23):
            meta.add_od_mtd(GLib.quark_from_string('dog'), 8, 4, 16, 12, 1)
        pipeline.get_by_name('in').emit('push-buffer', buffer)
        pipeline.set_state(Gst.State.PLAYING)
        buffer = pipeline.get_by_name('out').emit('pull-sample').get_buffer()
        pipeline.set_state(Gst.State.NULL)
        page = functions_of_page()
        with_tensors = [
            bool(page['tensors_of_box'](mtd)) for mtd in
            GstAnalytics.buffer_get_analytics_relation_meta(buffer)
            if isinstance(mtd, GstAnalytics.ODMtd)]
        self.assertEqual(with_tensors, [True] * 21 + [False] * 2)


if __name__ == '__main__':
    Gst.init(None)
    launch.main()

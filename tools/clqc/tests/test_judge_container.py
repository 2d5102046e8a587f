# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every key of a policy about the container, kept and broken."""
import pytest

from folders import facts, messages, verdict


@pytest.mark.parametrize('kept, broken', (
    ('format = "quicktime"', 'format = "WebM"'),
    ('codec = ["VP9", "H.26*"]', 'codec = ["VP9", "H.265"]'),
    ('width = 1920', 'width = [1280, 720]'),
    ('height = {min = 1080, max = 1080}', 'height = {max = 1079}'),
    ('height = {min = 720}', 'height = {min = 1081}'),
    ('rate = 25', 'rate = 24'),
    ('rate = "25/1"', 'rate = ["30000/1001", 24]'),
    ('rate = {min = 24, max = "25/1"}', 'rate = {min = "30000/1001"}'),
    ('duration = {min = 4, max = 4}', 'duration = {max = 3.9}'),
    ('range = "limited"', 'range = "full"'),
    ('interlacing = ["mixed", "progressive"]', 'interlacing = "mixed"'),
    ('depth = 8', 'depth = {min = 10}'),
    ('pixel-format = "I4*"', 'pixel-format = "NV12"'),
    ('pixel-aspect-ratio = 1', 'pixel-aspect-ratio = "16/15"'),
    ('audio-tracks = {min = 1}', 'audio-tracks = 2'),
    ('audio-codec = "*aac"', 'audio-codec = "Opus"'),
    ('audio-channels = [1, 2]', 'audio-channels = {min = 6}'),
    ('audio-rate = 48000', 'audio-rate = 44100'),
    ('codec = {allowed = "H.264"}', 'codec = {allowed = ["VP8", "VP9"]}')))
def test_container(tmp_path, kept, broken):
    assert verdict(tmp_path, f'[container]\n{kept}').reasons == []
    found = verdict(tmp_path, f'[container]\n{broken}')
    reason, = found.reasons
    assert found.status == 'fail'
    assert reason.rule == f'container.{broken.split(" ")[0]}'


def test_container_sentence(tmp_path):
    found = verdict(tmp_path, '[container]\ncodec = ["VP8", "VP9"]\n'
                    'width = {min = 2000, max = 4000}')
    assert messages(found) == [
        'The codec is H.264; allowed is VP8 or VP9.',
        'The width is 1920; at least 2000, at most 4000.']


@pytest.mark.parametrize('rate, written', (
    ([30000, 1001], '29.97'), ([24000, 1001], '23.976'),
    ([24000, 1001], '23.98'), ([60000, 1001], '59.94')))
def test_rates(tmp_path, rate, written):
    found = facts(video={'rate': rate})
    assert verdict(tmp_path, f'[container]\nrate = {written}', facts_of=found
                   ).status == 'pass'
    assert verdict(tmp_path, f'[container]\nrate = {round(float(written))}',
                   facts_of=found).status == 'fail'


@pytest.mark.parametrize('text, status', (
    ('rate = 50\nmeasured-rate = 25', 'pass'), ('measured-rate = 50', 'fail'),
    ('rate = 25', 'fail')))
def test_rate_by_the_times_of_the_frames(tmp_path, text, status):
    """The stream names fields, and a frame has two."""
    found = facts(video={'rate': [50, 1],
                         'measured-rate': [10 ** 9, 40_000_000]})
    assert verdict(tmp_path, f'[container]\n{text}', facts_of=found
                   ).status == status


def test_unknown_measured_rate(tmp_path):
    """The times of the frames are not constant."""
    assert messages(verdict(tmp_path, '[container]\nmeasured-rate = 25')) == [
        'The measured frame rate is unknown; allowed is 25.']


def test_container_severity(tmp_path):
    text = '[container]\nseverity = "warning"\nwidth = 1\n'
    assert verdict(tmp_path, text).status == 'pass'
    assert verdict(tmp_path, text + 'height = {allowed = 1, '
                   'severity = "error"}').status == 'fail'


def test_unknown_facts(tmp_path):
    found = facts(video={'range': None, 'rate': None})
    reason, = verdict(tmp_path, '[container]\nrange = "limited"',
                      facts_of=found).reasons
    assert reason.message == ('The colour range is unknown; allowed is '
                              'limited.')
    assert verdict(tmp_path, '[container]\nrange = ["limited", "unknown"]',
                   facts_of=found).status == 'pass'
    assert verdict(tmp_path, '[container]\nrate = {min = 1}',
                   facts_of=found).status == 'fail'


def test_audio_tracks(tmp_path):
    tracks = facts(audio=[{'codec': 'Opus', 'channels': 2, 'rate': 48000},
                          {'codec': 'Opus', 'channels': 1, 'rate': 48000}])
    found = verdict(tmp_path, '[container]\naudio-channels = 2',
                    facts_of=tracks)
    assert messages(found) == ['The number of audio channels of audio track '
                               '2 is 1; allowed is 2.']
    assert verdict(tmp_path, '[container]\naudio-channels = 2',
                   facts_of=facts(audio=[])).status == 'pass'
    assert verdict(tmp_path, '[container]\naudio-tracks = 2',
                   facts_of=tracks).status == 'pass'

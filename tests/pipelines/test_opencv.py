#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cllocalmean compared with OpenCV: where they agree, where not, and why.

OpenCV 4.6. Its integral() is in test_integral.py.
"""
import unittest

import launch
import numpy as np
import reference

try:
    import cv2
except ImportError:
    cv2 = None

WIDTH, HEIGHT = 160, 123
# The names of borders in OpenCV and NumPy.
BORDERS = {'constant': ('BORDER_CONSTANT', 'constant'),
           'replicate': ('BORDER_REPLICATE', 'edge'),
           'reflect': ('BORDER_REFLECT', 'symmetric'),
           'reflect-101': ('BORDER_REFLECT_101', 'reflect')}
CODE = 1 / 256  # the unit of means and deviations in cllocalmean


def make_page(generator):
    """Dark strokes on paper in uneven light, and a white margin."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    ink = np.ones((HEIGHT, WIDTH))
    for _ in range(120):
        left = generator.integers(0, WIDTH - 8)
        top = generator.integers(0, HEIGHT - 7)
        if generator.random() < .5:
            ink[top:top + 2, left:left + 8] = .35
        else:
            ink[top:top + 7, left:left + 2] = .35
    page = (90 + 110 * x / WIDTH - 40 * y / HEIGHT) * ink
    page = np.clip(page + generator.normal(0, 3, page.shape), 0, 255)
    page[:, -40:] = 230
    return page.astype(np.uint8)


def make_pictures():
    generator = np.random.default_rng(5)
    return [make_page(generator),
            generator.integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8)]


def sums_of_windows(samples, kernel, border='replicate', power=1):
    before = [k // 2 for k in kernel]
    margins = [(b, k - 1 - b) for b, k in zip(before, kernel)]
    padded = np.pad(samples.astype(np.int64) ** power, margins[::-1],
                    mode=BORDERS[border][1])
    return reference.window_sums(padded, *kernel)


def window(size):
    return f'kernel-width={size} kernel-height={size} border-mode=replicate'


@unittest.skipIf(cv2 is None, 'no OpenCV')
class OpenCvTest(launch.PipelineTest):
    def filter_pictures(self, settings, pictures=None):
        """Runs the pictures through one cllocalmean for each of @settings;
        returns pairs of a picture and its result, for each."""
        pictures = pictures or make_pictures()
        raw = self.folder / 'in.gray'
        raw.write_bytes(b''.join(picture.tobytes() for picture in pictures))
        branches = ''.join(
            f't. ! queue ! cllocalmean {text} ! '
            f'filesink location={self.folder}/{i}.gray '
            for i, text in enumerate(settings))
        launch.run(f'-q filesrc location={raw} ! rawvideoparse format=gray8 '
                   f'width={WIDTH} height={HEIGHT} framerate=1/1 ! '
                   f'tee name=t {branches}')
        shape = (len(pictures), HEIGHT, WIDTH)
        for i in range(len(settings)):
            data = (self.folder / f'{i}.gray').read_bytes()
            yield list(zip(pictures,
                           np.frombuffer(data, np.uint8).reshape(shape)))

    # --- boxFilter ---------------------------------------------------------

    def test_box_filter(self):
        """Equal but for what OpenCV does with quotients near k + 1/2:

        - windows of more than 256 samples: it rounds exact halves to even, so
          that cllocalmean has one more where k is even;
        - smaller ones: it multiplies by 2^23 / n, which rounds halves up as
          cllocalmean does; but where n is a power of two it adds n / 2 + 1
          before the division, so that OpenCV has one more, one code too much,
          where the remainder is n / 2 - 1.
        """
        kernels = [(3, 3), (6, 5), (15, 15), (5, 20), (4, 4), (16, 16), (2, 1),
                   (18, 15), (32, 20), (31, 31)]
        cases = [(kernel, border) for kernel in kernels for border in BORDERS]
        n_even_halves = n_powers = 0
        for (kernel, border), results in zip(cases, self.filter_pictures(
                [f'kernel-width={kernel[0]} kernel-height={kernel[1]} '
                 f'border-mode={border}' for kernel, border in cases])):
            n = kernel[0] * kernel[1]
            for picture, means in results:
                quotient, rest = np.divmod(
                    sums_of_windows(picture, kernel, border), n)
                expected = means.astype(int)
                if n > 256:
                    even_halves = (2 * rest == n) & (quotient % 2 == 0)
                    expected -= even_halves
                    n_even_halves += np.count_nonzero(even_halves)
                elif n & (n - 1) == 0:
                    expected += rest == n // 2 - 1
                    n_powers += np.count_nonzero(rest == n // 2 - 1)
                self.assert_equal_arrays(
                    cv2.boxFilter(picture, -1, kernel, borderType=getattr(
                        cv2, BORDERS[border][0])),
                    expected, f'{kernel}, {border}')
        self.assertGreater(n_even_halves, 0)
        self.assertGreater(n_powers, 0)

    def test_borders_missing_in_opencv(self):
        """boxFilter() refuses BORDER_WRAP: compared with NumPy."""
        for results in self.filter_pictures(
                ['kernel-width=20 kernel-height=15 border-mode=wrap']):
            for picture, means in results:
                wrapped = np.pad(picture.astype(np.int64), ((7, 7), (10, 9)),
                                 mode='wrap')
                sums = reference.window_sums(wrapped, 20, 15)
                self.assert_equal_arrays(means, (sums + 150) // 300, 'wrap')
        with self.assertRaises(cv2.error):
            cv2.boxFilter(make_pictures()[0], -1, (20, 15),
                          borderType=cv2.BORDER_WRAP)

    # --- adaptiveThreshold -------------------------------------------------

    def test_adaptive_threshold(self):
        """ADAPTIVE_THRESH_MEAN_C has odd windows, in which nothing is k + 1/2:
        equal everywhere. Of a constant c that is no integer OpenCV takes the
        next one above, or, for THRESH_BINARY_INV, the next one below; so its
        inverse is none: a pixel at mean - floor (c) is white in both. Ours is
        black, being above mean - c."""
        cases = [(size, offset, invert) for size in (3, 15, 41)
                 for offset in (0, 5, -3, 4.5, -2.25)
                 for invert in (False, True)]
        n_white_twice = 0
        for (size, offset, invert), results in zip(cases, self.filter_pictures(
                [f'operation=mean-c {window(size)} offset={offset} '
                 f'invert={invert}' for size, offset, invert in cases])):
            for picture, result in results:
                sums = sums_of_windows(picture, (size, size))
                mean = (sums + size * size // 2) // (size * size)
                expected = result.copy()
                if invert and offset % 1:
                    twice = picture == mean - np.floor(offset)
                    self.assertFalse(result[twice].any())
                    expected[twice] = 255
                    n_white_twice += np.count_nonzero(twice)
                self.assert_equal_arrays(
                    cv2.adaptiveThreshold(
                        picture, 255, cv2.ADAPTIVE_THRESH_MEAN_C,
                        cv2.THRESH_BINARY_INV if invert else cv2.THRESH_BINARY,
                        size, offset),
                    expected, f'{size}, {offset}, invert={invert}')
        self.assertGreater(n_white_twice, 0)

    # --- niBlackThreshold --------------------------------------------------

    @staticmethod
    def real_threshold(operation, picture, k, mean, deviation, largest):
        """The formulas of cl_operation.clh in 64-bit floats."""
        if operation == 'niblack':
            return mean + k * deviation
        if operation == 'sauvola':
            return mean * (1 + k * (deviation / 128 - 1))
        if operation == 'wolf':
            above = mean - picture.min()
            return mean - k * above * (1 - deviation / largest)
        return mean + k * np.sqrt(2 * deviation ** 2 + mean ** 2)

    def thresholds(self, operation, picture, size, k):
        """Returns for each pixel the real threshold, the error bound of
        cllocalmean's rounding, and the deviation. Mean, deviation and the
        largest deviation are at most 1/256 low there; the rounding of k and of
        products is less than 2/256."""
        n = size * size
        sums = sums_of_windows(picture, (size, size))
        squares = sums_of_windows(picture, (size, size), power=2)
        mean = sums / n
        deviation = np.sqrt(squares * n - sums * sums) / n
        arguments = [mean, deviation, deviation.max()]
        real = self.real_threshold(operation, picture, k, *arguments)
        reach = np.full_like(real, 2 * CODE)
        for i in range(3):
            lower = list(arguments)
            lower[i] = np.maximum(lower[i] - CODE, 0)
            reach += abs(self.real_threshold(operation, picture, k, *lower)
                         - real)
        return np.clip(real, 0, 255), reach, deviation

    def check_threshold(self, case, picture, result):
        """Returns how many pixels differ from OpenCV's."""
        operation, size, k = case
        real, reach, deviation = self.thresholds(operation, picture, size, k)
        # thresholds are rounded: the distance to a half counts
        from_half = abs(real - .5 - np.round(real - .5))
        exact = np.where(picture > np.floor(real + .5), 255, 0)
        wrong = result != exact
        self.assertTrue((from_half[wrong] <= reach[wrong]).all(), case)

        theirs = cv2.ximgproc.niBlackThreshold(
            picture, 255, cv2.THRESH_BINARY, size, k, r=128,
            binarizationMethod=getattr(
                cv2.ximgproc, f'BINARIZATION_{operation.upper()}'))
        other = (result != theirs) & (deviation > 0)
        self.assertTrue((from_half[other] <= reach[other]).all(), case)
        self.assertLess(np.count_nonzero(other), picture.size / 1000, case)
        return (np.count_nonzero(other),
                np.count_nonzero((result != theirs) & (deviation == 0)))

    @unittest.skipUnless(hasattr(cv2, 'ximgproc'), 'no ximgproc')
    def test_niblack_threshold(self):
        """OpenCV computes in 32-bit floats and rounds the threshold to a code;
        cllocalmean computes in integers and does the same. They differ

        - where the real threshold lies so close to k + 1/2 that what
          cllocalmean rounds before decides;
        - where the window is flat: OpenCV's variance, the difference of two
          floats, may come out below 0, its root is NaN, and the pixel white.
        """
        cases = [(operation, size, k) for operation, weights in [
                     ('niblack', (-.2, .5)), ('sauvola', (.2, .5)),
                     ('wolf', (.5, .1)), ('nick', (-.1, -.2))]
                 for size in (3, 15, 31) for k in weights]
        n_rounded = n_flat = 0
        for case, results in zip(cases, self.filter_pictures(
                [f'operation={operation} {window(size)} k={k}'
                 for operation, size, k in cases])):
            for picture, result in results:
                with self.subTest(case=case):
                    rounded, flat = self.check_threshold(case, picture, result)
                    n_rounded += rounded
                    n_flat += flat
        print(f'niBlackThreshold: of {len(cases) * 2 * WIDTH * HEIGHT} pixels '
              f'{n_rounded} differ by rounding, {n_flat} in flat windows')
        self.assertGreater(n_rounded, 0)
        self.assertGreater(n_flat, 0)

    @unittest.skipUnless(hasattr(cv2, 'ximgproc'), 'no ximgproc')
    def test_wolf_on_a_flat_frame(self):
        """The largest deviation is 0. OpenCV divides by it, and all pixels are
        white; in cllocalmean the threshold is the mean, and all are black."""
        flat = np.full((HEIGHT, WIDTH), 133, np.uint8)
        for results in self.filter_pictures(
                [f'operation=wolf {window(15)}'], [flat]):
            for picture, result in results:
                self.assertFalse(result.any())
                theirs = cv2.ximgproc.niBlackThreshold(
                    picture, 255, cv2.THRESH_BINARY, 15, .5,
                    binarizationMethod=cv2.ximgproc.BINARIZATION_WOLF)
                self.assertTrue((theirs == 255).all())


if __name__ == '__main__':
    launch.main()

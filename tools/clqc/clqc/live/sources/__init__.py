# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pipeline of one stream, and what it measures beside clframesum."""

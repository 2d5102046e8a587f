# SPDX-License-Identifier: LGPL-2.1-or-later
"""What clqc watch has to do: arguments, configuration file, addresses."""

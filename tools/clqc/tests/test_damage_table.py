# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table of damaged files in docs/clqc.md."""
import damage_table
import pytest


def test_table_of_the_page(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What the page says is found is found, and nothing in good files.
    Versions of decoders find more or less by other rules."""
    page = damage_table.read()
    found = damage_table.rows(tmp_path_factory.mktemp('table'))
    assert set(found) <= set(page) == set(damage_table.CODECS)
    for name, cells in found.items():
        assert cells[0] == page[name][0] == damage_table.NOTHING, name
        for column, told, cell in zip(damage_table.COLUMNS, page[name],
                                      cells):
            assert told == damage_table.NOTHING or (
                cell != damage_table.NOTHING), (name, column)

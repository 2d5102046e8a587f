/* SPDX-License-Identifier: LGPL-2.1-or-later */
// Sorts the table by the column whose heading is pressed, and the other way
// round when it is pressed again.
'use strict';
(() => {
  const table = document.getElementById('files');
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  const order = new Intl.Collator('en', { numeric: true });

  function sort(column) {
    const heading = headings[column];
    const down = heading.getAttribute('aria-sort') === 'ascending';
    for (const other of headings)
      if (other.hasAttribute('aria-sort'))
        other.setAttribute('aria-sort', 'none');
    heading.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const key = row => row.cells[column].dataset.key;
    const rows = [...body.rows].sort(
      (a, b) => (down ? -1 : 1) * order.compare(key(a), key(b)));
    body.append(...rows);
  }

  headings.forEach((heading, column) => {
    const button = heading.querySelector('button');
    if (button)
      button.addEventListener('click', () => sort(column));
  });
  document.documentElement.dataset.ready = 'yes';
})();

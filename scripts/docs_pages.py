#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Copies the pages of the project for hotdoc, and writes their sitemap.

usage: docs_pages.py ROOT PAGES SITE

ROOT is the checkout. PAGES gets README.md, the pages that it names, in that
order, the rest of docs/, and the pages of other folders that these link to,
with links to pages as hotdoc resolves them: from ROOT, and not from the page.
SITE gets the other files that pages link to, where the links of the site find
them.
"""
import os
import posixpath
import re
import shutil
import sys
from typing import Dict, List, Set

FIRST = 'README.md'
LIBRARY = 'docs/library.md'  # above the library's functions
LINK = re.compile(r'(!?)\[([^\]]*)\]\(([^)\s]+)\)')
HYPHENATED = re.compile(r'^#+ (.*\w-\w.*)$', re.MULTILINE)


def anchored(heading: 're.Match[str]') -> str:
    """A heading with the anchor that forges give it; hotdoc leaves hyphens
    out."""
    words = re.sub(r'[^\w\- ]', '', heading.group(1).lower())
    return f'<a id="{words.replace(" ", "-")}"></a>\n\n{heading.group(0)}'


class Pages:
    def __init__(self, root: str, pages: str, site: str) -> None:
        self.root, self.pages, self.site = root, pages, site
        self.order: List[str] = []
        self.files: Set[str] = set()
        self.missing: Dict[str, str] = {}

    def _target(self, page: str, link: str) -> str:
        """From the root."""
        return posixpath.normpath(
            posixpath.join(posixpath.dirname(page), link))

    def _rewrite(self, page: str, found: 're.Match[str]') -> str:
        mark, text, link = found.groups()
        if re.match(r'[a-z]+:', link) or link.startswith('#'):
            return found.group(0)
        path, _, anchor = link.partition('#')
        target = self._target(page, path)
        if not os.path.exists(os.path.join(self.root, target)):
            self.missing[target] = page
        elif target.endswith('.md'):
            self.name(target)
            return f'[{text}]({target}{"#" + anchor if anchor else ""})'
        else:
            self.files.add(target)
            if not mark:
                return f'<a href="{target}">{text}</a>'
        return found.group(0)

    def name(self, page: str) -> None:
        """Takes it up, after those that were named before."""
        if page not in self.order:
            self.order.append(page)

    def copy_page(self, page: str) -> None:
        """And names the pages that it links to."""
        with open(os.path.join(self.root, page), encoding='utf-8') as file:
            text = LINK.sub(lambda found: self._rewrite(page, found),
                            HYPHENATED.sub(anchored, file.read()))
        copy = os.path.join(self.pages, page)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        with open(copy, 'w', encoding='utf-8') as file:
            file.write(text)

    def copy_all(self) -> None:
        for page in self.order:  # grows meanwhile
            self.copy_page(page)
        for name in self.files:
            for folder in self.pages, self.site:
                copy = os.path.join(folder, name)
                os.makedirs(os.path.dirname(copy), exist_ok=True)
                shutil.copy(os.path.join(self.root, name), copy)


def main() -> int:
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    root, folder, site = sys.argv[1:]
    pages = Pages(root, folder, site)
    pages.name(FIRST)
    pages.copy_page(FIRST)
    for name in sorted(os.listdir(os.path.join(root, 'docs'))):
        if name.endswith('.md'):
            pages.name('docs/' + name)
    pages.copy_all()
    with open(os.path.join(folder, 'sitemap.txt'), 'w',
              encoding='utf-8') as file:
        file.write(FIRST + '\n')
        for page in ['gst-index', *pages.order[1:]]:
            file.write(f'\t{page}\n')
            if page == LIBRARY:
                file.write('\t\tgi-index\n')
    for target, page in pages.missing.items():
        print(f'{page}: there is no {target}', file=sys.stderr)
    return 1 if pages.missing else 0


if __name__ == '__main__':
    sys.exit(main())
